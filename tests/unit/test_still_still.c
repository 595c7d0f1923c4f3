/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "base/clock.h"
#include "still/copy.h"
#include "still/hold.h"
#include "still/still.h"
#include "still/take.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- areas and runs ---- */

static void add(struct still *s, taddr start, taddr end, const char *path, bool writable)
{
	struct proc_map m = {.start = start,
			     .end = end,
			     .readable = true,
			     .writable = writable,
			     .ino = path[0] == '/',
			     .path = path};

	assert_int_equal(still_add_map(s, &m), 0);
}

static void what_madvise_has_split_is_one_area(void **state)
{
	struct still s = {0};

	(void)state;
	add(&s, 0x1000, 0x2000, "[heap]", true);
	add(&s, 0x2000, 0x3000, "[heap]", true);
	add(&s, 0x4000, 0x5000, "[heap]", true);
	add(&s, 0x5000, 0x6000, "", true);
	add(&s, 0x6000, 0x7000, "", false);
	add(&s, 0x7000, 0x8000, "", false);
	add(&s, 0x8000, 0x9000, "/lib/a", true);
	add(&s, 0x9000, 0xa000, "/lib/a", true);
	add(&s, 0xa000, 0xb000, "", true);
	assert_int_equal(s.n_areas, 7);
	assert_int_equal(still_area_at(&s, 0x2fff)->start, 0x1000);
	assert_null(still_area_at(&s, 0x3000));
	assert_int_equal(still_area_at(&s, 0x7000)->start, 0x6000);
	assert_true(still_is_bss(&s, still_area_at(&s, 0xa000)));
	assert_false(still_is_bss(&s, still_area_at(&s, 0x5000)));
	still_release(&s);
}

/* They have a file of their own, but what malloc has in them is ordinary memory. */
static void huge_pages_are_anonymous_memory(void **state)
{
	struct proc_map m = {.start = 0x200000,
			     .end = 0x400000,
			     .ino = 1,
			     .readable = true,
			     .writable = true,
			     .path = "/anon_hugepage (deleted)"};
	struct still s = {0};

	(void)state;
	assert_int_equal(still_add_map(&s, &m), 0);
	add(&s, 0x400000, 0x401000, "", true);
	assert_int_equal(s.areas[0].kind, STILL_ANON);
	assert_false(still_is_bss(&s, &s.areas[1]));
	still_release(&s);
	m.shared = true;
	assert_int_equal(still_add_map(&s, &m), 0);
	assert_int_equal(s.areas[0].kind, STILL_SHARED);
	still_release(&s);
}

/* With a file right below it, any memory looks like a bss. */
static void a_bss_is_behind_a_modules_data(void **state)
{
	static const struct proc_map maps[] = {
		{ .start = 0x1000, .end = 0x2000, .ino = 1, .executable = true, .path = "/lib/a" },
		{ .start = 0x2000, .end = 0x3000, .ino = 1, .path = "/lib/a" },
		{ .start = 0x3000, .end = 0x4000, .writable = true, .path = "" },
		{ .start = 0x5000, .end = 0x6000, .ino = 2, .path = "/lib/b" },
		{ .start = 0x6000, .end = 0x7000, .writable = true, .path = "" },
		{ .start = 0x8000, .end = 0x9000, .ino = 2, .writable = true, .path = "/lib/b" },
		{ .start = 0x9000, .end = 0xa000, .writable = true, .path = "" },
	};
	struct still s = {0};

	(void)state;
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		assert_int_equal(still_add_map(&s, &maps[i]), 0);
	assert_true(still_is_bss(&s, still_area_at(&s, 0x3000)));
	assert_false(still_is_bss(&s, still_area_at(&s, 0x6000)));
	assert_true(still_is_bss(&s, still_area_at(&s, 0x9000)));
	assert_false(still_is_bss(&s, still_area_at(&s, 0x2000)));
	still_release(&s);
}

static void nothing_is_read_outside_of_what_was_copied(void **state)
{
	struct still s = {0};
	uint64_t word = 7;
	/* As large as they are, for a sanitizer to see who goes beyond. */
	uint8_t *first = calloc(1, 0x1000), *second = calloc(1, 0x1000);

	(void)state;
	first[0xff8] = 1;
	second[0] = 2;
	assert_int_equal(still_add_run(&s, 0x1000, 0x1000, first), 0);
	assert_int_equal(still_add_run(&s, 0x2000, 0x1000, second), 0);
	struct still_reader r = still_reader(&s);
	assert_true(still_word(&r, 0x1ff8, &word));
	assert_int_equal(word, 1);
	assert_true(still_word(&r, 0x2000, &word));
	assert_int_equal(word, 2);
	assert_false(still_word(&r, 0x1ffc, &word));
	assert_false(still_word(&r, 0x2ffc, &word));
	assert_false(still_word(&r, 0xff8, &word));
	assert_false(still_word(&r, 0x3000, &word));
	assert_false(still_word(&r, UINT64_MAX - 3, &word));
	assert_false(still_word(&r, UINT64_MAX - 7, &word));
	assert_false(still_has(&r, 0x1000, UINT64_MAX));
	assert_false(still_has(&r, 0x2ff8, UINT64_MAX - 0x1000));
	assert_int_equal(still_word_or_0(&r, 0), 0);
	free(first);
	free(second);
	still_release(&s);
}

/* ---- decisions ---- */

static void the_expected_pause_grows_with_bytes_and_threads(void **state)
{
	(void)state;
	assert_int_equal(still_expected_ns(UINT64_C(4000000000), 0, 1), 1000000000);
	assert_int_equal(still_expected_ns(UINT64_C(4000000000), 0, 4), 500000000);
	assert_int_equal(still_expected_ns(0, 10, 1), 1000000);
}

static void a_copy_takes_no_more_than_there_is(void **state)
{
	const uint64_t gib = UINT64_C(1) << 30;

	(void)state;
	assert_true(still_fits(gib, 4 * gib, false));
	assert_false(still_fits(gib, 2 * gib, false));
	assert_true(still_fits(gib, 2 * gib, true));
	assert_false(still_fits(gib, gib, true));
	assert_true(still_fits(gib, UINT64_MAX, false));
}

/* ---- a process ---- */

static const char mark[] = "what is to be found";

static void await_stop(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
}

/* A process with a page at *@at that was written, and one behind it that was not. */
static pid_t begin_child(char **at)
{
	*at = mmap(NULL, 2 * STILL_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0);
	assert_true(*at != MAP_FAILED);
	madvise(*at, 2 * STILL_PAGE, MADV_NOHUGEPAGE);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		memcpy(*at, mark, sizeof mark);
		raise(SIGSTOP);
		for (;;)
			pause();
	}
	await_stop(pid);
	return pid;
}

static void end_child(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void what_a_process_has_is_copied_and_no_page_is_given_to_it(void **state)
{
	struct still_asked asked = {.max_pause_ns = UINT64_C(600000000000)};
	struct still_taken t = {0};
	struct error e;
	char *at;

	(void)state;
	asked.pid = begin_child(&at);
	assert_int_equal(still_take(&t, &asked, &e), 0);
	struct still_reader r = still_reader(&t.still);
	assert_true(still_has(&r, (uintptr_t)at, sizeof mark));
	assert_memory_equal(r.bytes + ((uintptr_t)at - r.start), mark, sizeof mark);
	assert_false(still_has(&r, (uintptr_t)at + STILL_PAGE, 1));
	assert_int_equal(t.still.n_tasks, 1);
	assert_true(t.still.tasks[0].sp);
	still_taken_release(&t);
	/* It is stopped as it was, and nobody traces it. */
	int status;
	assert_int_equal(kill(asked.pid, SIGCONT), 0);
	assert_int_equal(waitpid(asked.pid, &status, WCONTINUED), asked.pid);
	assert_true(WIFCONTINUED(status));
	end_child(asked.pid);
}

/* Returns how many bytes of the process would be copied. *@scans: zero pages can be told. */
static uint64_t measured(pid_t pid, bool *scans)
{
	struct still_files f;
	struct still s = {0};
	uint64_t bytes = 0;

	assert_int_equal(still_files_open(&f, pid), 0);
	assert_int_equal(still_read_areas(&s, &f), 0);
	assert_int_equal(still_measure(&s, &f, &bytes), 0);
	*scans = pagemap_scans(f.pagemap);
	still_files_close(&f);
	still_release(&s);
	return bytes;
}

/* A program may read all of a large reservation, such as a sparse table. */
static void pages_that_were_only_read_are_not_copied(void **state)
{
	enum { SIZE = 64 << 20 };
	struct still_asked asked = {.max_pause_ns = UINT64_C(600000000000)};
	struct still_taken t = {0};
	struct error e;
	volatile char *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				 -1, 0);
	bool scans;

	(void)state;
	assert_true(at != MAP_FAILED);
	madvise((void *)at, SIZE, MADV_NOHUGEPAGE);
	asked.pid = fork();
	assert_true(asked.pid >= 0);
	if (!asked.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		raise(SIGSTOP);
		for (size_t i = 0; i < SIZE; i += STILL_PAGE)
			(void)at[i];
		raise(SIGSTOP);
		_exit(0);
	}
	await_stop(asked.pid);
	uint64_t before = measured(asked.pid, &scans);
	assert_int_equal(kill(asked.pid, SIGCONT), 0);
	await_stop(asked.pid);
	if (scans) {
		assert_true(measured(asked.pid, &scans) < before + SIZE / 2);
		assert_int_equal(still_take(&t, &asked, &e), 0);
		assert_true(t.room.used < before + SIZE / 2);
		still_taken_release(&t);
	}
	end_child(asked.pid);
	munmap((void *)at, SIZE);
}

static void a_process_that_has_ended_is_said_to_be_gone(void **state)
{
	struct still_asked asked = {.max_pause_ns = UINT64_C(600000000000)};
	struct still_taken t = {0};
	struct error e;
	char *at;

	(void)state;
	asked.pid = begin_child(&at);
	end_child(asked.pid);
	assert_int_equal(still_take(&t, &asked, &e), -ESRCH);
	assert_string_equal(e.text, "");
}

static void more_than_the_pause_allows_stops_nobody(void **state)
{
	struct still_asked asked = {.max_pause_ns = 1};
	struct still_taken t = {0};
	struct error e;
	char *at;

	(void)state;
	asked.pid = begin_child(&at);
	assert_int_equal(still_take(&t, &asked, &e), -STILL_TOO_LONG);
	assert_non_null(strstr(e.text, "--max-pause="));
	assert_null(strstr(e.text, "--passes"));
	/* Nor are the stacks of its one thread copied in a nanosecond. */
	asked.may_run = true;
	assert_int_equal(still_take(&t, &asked, &e), -STILL_TOO_LONG);
	assert_null(strstr(e.text, "--passes"));
	asked.running = true;
	assert_int_equal(still_take(&t, &asked, &e), -STILL_TOO_LONG);
	assert_non_null(strstr(e.text, "to copy the stacks of its 1 threads it would"));
	end_child(asked.pid);
}

/* Its stacks are copied in a tenth of a millisecond. */
static void what_can_be_copied_while_it_runs_is_said_to_be(void **state)
{
	struct still_asked asked = {.max_pause_ns = 100001, .may_run = true};
	struct still_taken t = {0};
	struct error e;
	char *at;

	(void)state;
	asked.pid = begin_child(&at);
	assert_int_equal(still_take(&t, &asked, &e), -STILL_TOO_LONG);
	assert_non_null(strstr(e.text, " allows that, and --passes=2 copies it while it runs"));
	end_child(asked.pid);
}

static bool quiet_when_it_is_too_late(void *ctx, const struct still_files *f)
{
	uint64_t from_ns = clock_now_ns();

	(void)f;
	while (clock_now_ns() - from_ns <= *(const uint64_t *)ctx)
		;
	return true;
}

static void who_has_not_been_copied_in_time_is_let_go(void **state)
{
	uint64_t allowed_ns = 100000000;
	struct still_asked asked = {.max_pause_ns = allowed_ns,
				    .may_run = true,
				    .is_quiet = quiet_when_it_is_too_late,
				    .ctx = &allowed_ns};
	struct still_taken t = {0};
	struct error e;
	char *at;

	(void)state;
	asked.pid = begin_child(&at);
	assert_int_equal(still_take(&t, &asked, &e), -STILL_TOO_LONG);
	/* Nothing has been copied, so that how long it takes is not known. */
	assert_non_null(strstr(e.text, "stopped for 100 ms; a larger --max-pause may do, and "
				       "--passes=2 copies it while it runs"));
	end_child(asked.pid);
}

/* However long it takes: what was listed and not copied does not count. */
static void what_was_copied_in_time_is_known(void **state)
{
	enum { SIZE = 64 << 20 };
	char *at, *large = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				0);
	struct still_room room = {0};
	struct still_files f;
	uint64_t bytes;
	int err = -ETIME;

	(void)state;
	assert_true(large != MAP_FAILED);
	memset(large, 1, SIZE);
	pid_t pid = begin_child(&at);
	assert_int_equal(still_files_open(&f, pid), 0);
	for (uint64_t ns = 1000; err == -ETIME; ns += ns / 4) {
		struct still s = {0};

		assert_int_equal(still_read_areas(&s, &f), 0);
		assert_int_equal(still_measure(&s, &f, &bytes), 0);
		assert_true(bytes > SIZE);
		assert_int_equal(still_room_make(&room, 2 * bytes), 0);
		err = still_copy(&s, &f, &room, STILL_ALL, clock_now_ns() + ns);
		if (err)
			assert_true(room.copied < bytes);
		still_release(&s);
	}
	assert_int_equal(err, 0);
	assert_int_equal(room.copied, room.used);
	still_room_release(&room);
	still_files_close(&f);
	end_child(pid);
	munmap(large, SIZE);
}

static void what_a_copy_needs_is_told_by_what_was_done(void **state)
{
	(void)state;
	assert_int_equal(still_needed_ns(1000, 500, 1000), 2500);
	assert_int_equal(still_needed_ns(1000, 1000, 1000), 1250);
	assert_int_equal(still_needed_ns(1000, 0, 1000), 0);
	assert_int_equal(still_needed_ns(UINT64_MAX / 2, 1, UINT64_MAX), 0);
}

/* The holder is killed while it holds: the kernel detaches it from the process. */
static void whoever_kills_the_holder_lets_the_process_go(void **state)
{
	struct still_holder h;
	struct still_pause pause;
	struct still s = {0};
	char *at;
	pid_t pid = begin_child(&at);

	(void)state;
	assert_int_equal(still_holder_begin(&h), 0);
	assert_int_equal(still_hold(&h, pid, UINT64_C(600000000000), false, &s), 0);
	assert_int_equal(kill(h.pid, SIGKILL), 0);
	assert_int_equal(still_let_go(&h, &pause), -EPIPE);
	assert_int_equal(still_holder_end(&h), SIGKILL);
	/* Who is traced cannot be waited for as a child that goes on. */
	int status;
	assert_int_equal(kill(pid, SIGCONT), 0);
	assert_int_equal(waitpid(pid, &status, WCONTINUED), pid);
	end_child(pid);
	still_release(&s);
}

/* Limits that are not a number of microseconds, too, and whatever signals whoever started us has
 * blocked. */
static void no_process_is_held_for_longer_than_the_limit(void **state)
{
	static const uint64_t limits[] = {50000000, 1, 999999999};
	sigset_t all, before;

	(void)state;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		struct still_holder h;
		struct still s = {0};
		char *at;
		pid_t pid = begin_child(&at);

		assert_int_equal(still_holder_begin(&h), 0);
		int err = still_hold(&h, pid, limits[i], false, &s);
		assert_true(!err || err == -EPIPE);
		struct pollfd end = {.fd = h.fd, .events = POLLIN};
		assert_int_equal(poll(&end, 1, 60000), 1);
		assert_int_equal(still_holder_end(&h), SIGALRM);
		end_child(pid);
		still_release(&s);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static unsigned quiet_asked;

static bool never_quiet(void *ctx, const struct still_files *f)
{
	(void)ctx, (void)f;
	quiet_asked++;
	return false;
}

static void a_good_moment_is_waited_for_five_times(void **state)
{
	struct still_asked asked = {.max_pause_ns = UINT64_C(600000000000),
				    .is_quiet = never_quiet};
	struct still_taken t = {0};
	struct error e;
	char *at;

	(void)state;
	asked.pid = begin_child(&at);
	assert_int_equal(still_take(&t, &asked, &e), 0);
	assert_int_equal(t.waits, 5);
	assert_int_equal(quiet_asked, 5);
	still_taken_release(&t);
	end_child(asked.pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_madvise_has_split_is_one_area),
		cmocka_unit_test(huge_pages_are_anonymous_memory),
		cmocka_unit_test(a_bss_is_behind_a_modules_data),
		cmocka_unit_test(nothing_is_read_outside_of_what_was_copied),
		cmocka_unit_test(the_expected_pause_grows_with_bytes_and_threads),
		cmocka_unit_test(a_copy_takes_no_more_than_there_is),
		cmocka_unit_test(what_a_process_has_is_copied_and_no_page_is_given_to_it),
		cmocka_unit_test(pages_that_were_only_read_are_not_copied),
		cmocka_unit_test(a_process_that_has_ended_is_said_to_be_gone),
		cmocka_unit_test(more_than_the_pause_allows_stops_nobody),
		cmocka_unit_test(what_can_be_copied_while_it_runs_is_said_to_be),
		cmocka_unit_test(who_has_not_been_copied_in_time_is_let_go),
		cmocka_unit_test(what_was_copied_in_time_is_known),
		cmocka_unit_test(what_a_copy_needs_is_told_by_what_was_done),
		cmocka_unit_test(whoever_kills_the_holder_lets_the_process_go),
		cmocka_unit_test(no_process_is_held_for_longer_than_the_limit),
		cmocka_unit_test(a_good_moment_is_waited_for_five_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
