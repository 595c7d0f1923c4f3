/* SPDX-License-Identifier: BSD-2-Clause */
/* Work in a confined process that does not keep to how it is to talk to us. */
#include "unit/unit.h"

#include "confine/apart.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the confined process: its end of the connection. */
static int door(void)
{
	struct stat st;

	for (int fd = 3; fd < 1024; fd++)
		if (!fstat(fd, &st) && S_ISSOCK(st.st_mode))
			return fd;
	_exit(3);
}

static void sleep_for_ever(void)
{
	for (;;)
		poll(NULL, 0, -1);
}

static int asks(void *ctx, int out)
{
	char text[APART_ANSWER];

	(void)ctx, (void)out;
	return apart_ask(7, "what", 4, text) == -ENOENT && !strcmp(text, "this") ? 0 : -EINVAL;
}

static int begins_a_request(void *ctx, int out)
{
	(void)ctx, (void)out;
	if (write(door(), "", 1) == 1)
		sleep_for_ever();
	return -EINVAL;
}

/* A request of no bytes, whose answer is as long as one can be. */
static int reads_no_answer(void *ctx, int out)
{
	const int32_t head[2] = { 7, 0 };

	(void)ctx, (void)out;
	for (int fd = door(); write(fd, head, sizeof head) == sizeof head;)
		;
	return -EINVAL;
}

/* No file of it is as large as one may be. */
static void fill_files(void)
{
	static const char bytes[1 << 20];

	for (int i = 0; i < 16; i++)
		if (write(memfd_create("full", 0), bytes, sizeof bytes) != sizeof bytes)
			_exit(3);
}

static int begins_a_request_and_fills_files(void *ctx, int out)
{
	fill_files();
	return begins_a_request(ctx, out);
}

static int closes_the_door(void *ctx, int out)
{
	(void)ctx;
	close(door());
	close(out);
	sleep_for_ever();
	return 0;
}

static int closes_the_door_and_fills_files(void *ctx, int out)
{
	fill_files();
	return closes_the_door(ctx, out);
}

static int serve(void *ctx, unsigned kind, const char *bytes, size_t n, char answer[APART_ANSWER])
{
	(void)ctx;
	if (n && (kind != 7 || n != 4 || memcmp(bytes, "what", 4)))
		return -EINVAL;
	if (n)
		strcpy(answer, "this");
	else
		memset(answer, 'a', APART_ANSWER - 1);
	return -ENOENT;
}

static struct apart_end end_of(int (*work)(void *ctx, int out), unsigned patience_s)
{
	const struct apart_work w = { .work = work, .serve = serve, .bounds = { 8 << 20, 60 },
				      .patience_s = patience_s };
	struct apart_end end;
	int out = apart_run(&w, &end);

	assert_int_equal(out >= 0, end.fine);
	if (out >= 0)
		close(out);
	return end;
}

static void what_is_asked_for_is_answered(void **state)
{
	(void)state;
	assert_true(end_of(asks, 0).fine);
}

static void one_that_sleeps_in_the_middle_of_a_request_is_ended(void **state)
{
	(void)state;
	assert_string_equal(end_of(begins_a_request, 1).why.text, "did not come to an end");
}

static void one_that_reads_no_answer_is_ended(void **state)
{
	(void)state;
	assert_string_equal(end_of(reads_no_answer, 1).why.text, "did not come to an end");
}

static void its_files_are_bounded_in_the_middle_of_a_request(void **state)
{
	(void)state;
	assert_string_equal(end_of(begins_a_request_and_fills_files, 0).why.text,
			    "took more than 8 MiB of memory");
}

static void one_that_closes_the_door_and_sleeps_is_ended(void **state)
{
	(void)state;
	assert_string_equal(end_of(closes_the_door, 1).why.text, "did not come to an end");
}

static void its_files_are_bounded_behind_a_closed_door(void **state)
{
	(void)state;
	assert_string_equal(end_of(closes_the_door_and_fills_files, 0).why.text,
			    "took more than 8 MiB of memory");
}

/* ---- one that is kept ---- */

/* The answer to a byte is the next one. */
static int counts_on(void *ctx, int out)
{
	unsigned char byte;

	(void)ctx;
	while (!apart_pause()) {
		if (pread(out, &byte, 1, 0) != 1)
			return -EIO;
		byte++;
		if (pwrite(out, &byte, 1, 0) != 1)
			return -EIO;
	}
	return 0;
}

/* Works all the time, also while it should pause. */
static int does_not_stop(void *ctx, int out)
{
	const int32_t head[2] = { INT32_MAX, 0 };

	(void)ctx, (void)out;
	if (write(door(), head, sizeof head) != sizeof head)
		return -EIO;
	for (;;)
		;
	return 0;
}

static int out_of_kept;

static struct apart *begin(int (*work)(void *ctx, int out), bool pauses)
{
	const struct apart_work w = { .work = work, .serve = serve, .out = &out_of_kept,
				      .bounds = { 8 << 20, 60 }, .pauses = pauses };
	struct apart_end end;
	struct apart *a = apart_begin(&w, &end);

	assert_non_null(a);
	return a;
}

static bool answers(struct apart *a, unsigned char question)
{
	unsigned char answer = 0;

	assert_int_equal(pwrite(out_of_kept, &question, 1, 0), 1);
	if (apart_go_on(a) || !apart_serve(a))
		return false;
	assert_int_equal(pread(out_of_kept, &answer, 1, 0), 1);
	return answer == question + 1;
}

static bool ends_fine(struct apart *a)
{
	struct apart_end end;
	int out = apart_finish(a, &end);

	if (out >= 0)
		close(out);
	return end.fine;
}

/* The process that pauses: our child that is stopped. */
static pid_t stopped(void)
{
	siginfo_t si = { 0 };

	assert_int_equal(waitid(P_ALL, 0, &si, WSTOPPED | WNOWAIT), 0);
	return si.si_pid;
}

static void one_that_pauses_is_stopped_and_answers_each_question(void **state)
{
	(void)state;
	struct apart *a = begin(counts_on, true);

	assert_true(apart_serve(a));
	for (unsigned char i = 0; i < 100; i++) {
		assert_int_not_equal(stopped(), 0);
		assert_true(answers(a, i));
	}
	assert_false(ends_fine(a));
	a = begin(does_not_stop, true);
	assert_true(apart_serve(a));
	assert_int_not_equal(stopped(), 0);
	assert_false(ends_fine(a));
	/* None is left. */
	assert_int_equal(waitid(P_ALL, 0, &(siginfo_t){ 0 }, WEXITED | WNOHANG), -1);
}

static void one_that_may_not_pause_goes_on(void **state)
{
	(void)state;
	struct apart *a = begin(counts_on, false);

	assert_false(apart_serve(a));
	assert_true(ends_fine(a));
}

static void one_that_is_killed_while_it_pauses_has_ended(void **state)
{
	(void)state;
	for (int reaped = 0; reaped < 2; reaped++) {
		struct apart *a = begin(counts_on, true);

		assert_true(apart_serve(a));
		pid_t pid = stopped();

		assert_int_equal(kill(pid, SIGKILL), 0);
		/* Somebody who waits for any child may get to know it first. */
		if (reaped)
			assert_int_equal(waitpid(pid, NULL, 0), pid);
		assert_false(answers(a, 1));
		assert_false(ends_fine(a));
	}
}

static void a_fork_leaves_the_one_of_its_parent_alone(void **state)
{
	(void)state;
	struct apart *a = begin(counts_on, true);
	int wstatus = 0;

	assert_true(apart_serve(a));
	assert_true(apart_is_ours(a));
	pid_t pid = fork();

	if (!pid)
		_exit(apart_is_ours(a) || ends_fine(a));
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	assert_int_equal(wstatus, 0);
	assert_true(answers(a, 7));
	assert_false(ends_fine(a));
}

static int waits;

static void count_wait(void *ctx)
{
	(void)ctx;
	waits++;
}

static void who_waits_for_an_answer_is_told_so(void **state)
{
	(void)state;
	const struct apart_work w = { .work = reads_no_answer, .serve = serve, .patience_s = 1,
				      .waits = count_wait, .bounds = { 8 << 20, 60 } };
	struct apart_end end;

	assert_int_equal(apart_run(&w, &end), -1);
	assert_true(waits >= 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_asked_for_is_answered),
		cmocka_unit_test(one_that_sleeps_in_the_middle_of_a_request_is_ended),
		cmocka_unit_test(one_that_reads_no_answer_is_ended),
		cmocka_unit_test(its_files_are_bounded_in_the_middle_of_a_request),
		cmocka_unit_test(one_that_closes_the_door_and_sleeps_is_ended),
		cmocka_unit_test(its_files_are_bounded_behind_a_closed_door),
		cmocka_unit_test(one_that_pauses_is_stopped_and_answers_each_question),
		cmocka_unit_test(one_that_may_not_pause_goes_on),
		cmocka_unit_test(one_that_is_killed_while_it_pauses_has_ended),
		cmocka_unit_test(a_fork_leaves_the_one_of_its_parent_alone),
		cmocka_unit_test(who_waits_for_an_answer_is_told_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
