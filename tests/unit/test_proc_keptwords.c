/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of user data that the kernel keeps: from the text of its files, and from our own epoll set
 * and timer. */
#include "unit/unit.h"

#include "proc/keptwords.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

struct seen {
	uint64_t v[8];
	size_t n;
};

static int see(uint64_t word, void *ctx)
{
	struct seen *s = ctx;

	assert_true(s->n < 8);
	s->v[s->n++] = word;
	return 0;
}

static int refuse(uint64_t word, void *ctx)
{
	(void)word;
	++*(int *)ctx;
	return -EINTR;
}

static void the_data_of_epoll_sets(void **state)
{
	static const char text[] =
		"pos:\t0\nflags:\t02\nmnt_id:\t15\nino:\t1044\n"
		"tfd:        5 events:       19 data:     55d0c0ffee00  pos:0 ino:3d sdev:9\n"
		"tfd:        6 events:       19 data: ffffffffffffffff  pos:0 ino:3d sdev:9\n";
	struct seen s = {0};
	int calls = 0;

	(void)state;
	assert_int_equal(kept_words_in_epoll(text, see, &s), 0);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.v[0], 0x55d0c0ffee00);
	assert_true(s.v[1] == UINT64_MAX);
	assert_int_equal(kept_words_in_epoll(text, refuse, &calls), -EINTR);
	assert_int_equal(calls, 1);
	assert_int_equal(kept_words_in_epoll("", see, &s), 0);
	assert_int_equal(kept_words_in_epoll("tfd: 5 data:", see, &s), 0);
	assert_int_equal(s.n, 2);
}

static void the_values_of_timers(void **state)
{
	static const char text[] = "ID: 1\nsignal: 60/00007fff86e452a8\nnotify: signal/pid.2634\n"
				   "ClockID: 0\nID: 0\nsignal: 23/0000000000000010\nnotify: "
				   "none/tid.1\nClockID: 1\n";
	struct seen s = {0};
	int calls = 0;

	(void)state;
	assert_int_equal(kept_words_in_timers(text, see, &s), 0);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.v[0], 0x7fff86e452a8);
	assert_int_equal(s.v[1], 0x10);
	assert_int_equal(kept_words_in_timers(text, refuse, &calls), -EINTR);
	assert_int_equal(calls, 1);
	assert_int_equal(kept_words_in_timers("signal: 60\nsignal: x/y", see, &s), 0);
	assert_int_equal(s.n, 2);
}

static void those_of_a_process(void **state)
{
	struct epoll_event e = {.events = EPOLLIN, .data.u64 = 0x123456789abc};
	struct sigevent to = {
		.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_ptr = &e};
	struct seen s = {0};
	int set = epoll_create1(0), fd = eventfd(0, 0);
	timer_t timer;

	(void)state;
	assert_int_equal(epoll_ctl(set, EPOLL_CTL_ADD, fd, &e), 0);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &to, &timer), 0);
	assert_int_equal(kept_words_each(getpid(), see, &s), 0);
	assert_int_equal(s.n, access("/proc/self/timers", R_OK) ? 1 : 2);
	assert_int_equal(s.v[0], 0x123456789abc);
	assert_true(s.n < 2 || s.v[1] == (uintptr_t)&e);
	close(set);
	close(fd);
	timer_delete(timer);
	assert_int_equal(kept_words_each(0x7fffffff, see, &s), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_data_of_epoll_sets),
		cmocka_unit_test(the_values_of_timers),
		cmocka_unit_test(those_of_a_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
