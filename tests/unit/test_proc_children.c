/* SPDX-License-Identifier: BSD-2-Clause */
/* The children of a process, as the kernel lists them for each of its threads. */
#include "unit/unit.h"

#include "proc/children.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MADE = 70 };	/* numbers that take more than one line of a terminal */

static pid_t made[MADE + 1];
static unsigned seen[MADE + 1], others;

static pid_t make_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid;
}

static void count(void *ctx, pid_t child)
{
	unsigned known = 0;

	(void)ctx;
	for (unsigned i = 0; i <= MADE; i++)
		if (made[i] == child) {
			seen[i]++;
			known = 1;
		}
	others += !known;
}

static pthread_barrier_t there, seen_by_all;

static void *make_one(void *unused)
{
	(void)unused;
	made[MADE] = make_child();
	pthread_barrier_wait(&there);
	pthread_barrier_wait(&seen_by_all);
	return NULL;
}

static void end_children(void)
{
	for (unsigned i = 0; i <= MADE; i++) {
		kill(made[i], SIGKILL);
		waitpid(made[i], NULL, 0);
	}
}

static void test_each_child_of_each_thread_once(void **state)
{
	pthread_t thread;

	(void)state;
	pthread_barrier_init(&there, NULL, 2);
	pthread_barrier_init(&seen_by_all, NULL, 2);
	for (unsigned i = 0; i < MADE; i++)
		made[i] = make_child();
	assert_int_equal(pthread_create(&thread, NULL, make_one, NULL), 0);
	pthread_barrier_wait(&there);
	int err = proc_children_each(getpid(), count, NULL);
	pthread_barrier_wait(&seen_by_all);
	pthread_join(thread, NULL);
	end_children();
	if (err == -ENOENT) {
		print_message("skipped: this kernel lists no children (CONFIG_PROC_CHILDREN)\n");
		skip();
	}
	assert_int_equal(err, 0);
	for (unsigned i = 0; i <= MADE; i++)
		assert_int_equal(seen[i], 1);
	assert_int_equal(others, 0);
}

static void test_of_nobody(void **state)
{
	(void)state;
	others = 0;
	pid_t gone = make_child();

	kill(gone, SIGKILL);
	waitpid(gone, NULL, 0);
	assert_true(proc_children_each(gone, count, NULL) < 0);
	assert_int_equal(others, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_child_of_each_thread_once),
		cmocka_unit_test(test_of_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
