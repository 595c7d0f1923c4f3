/* SPDX-License-Identifier: BSD-2-Clause */
/* Work in a confined process that does not keep to how it is to talk to us. */
#include "unit/unit.h"

#include "confine/apart.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_asked_for_is_answered),
		cmocka_unit_test(one_that_sleeps_in_the_middle_of_a_request_is_ended),
		cmocka_unit_test(one_that_reads_no_answer_is_ended),
		cmocka_unit_test(its_files_are_bounded_in_the_middle_of_a_request),
		cmocka_unit_test(one_that_closes_the_door_and_sleeps_is_ended),
		cmocka_unit_test(its_files_are_bounded_behind_a_closed_door),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
