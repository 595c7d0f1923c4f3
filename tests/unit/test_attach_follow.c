/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "attach/follow.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static bool starves(uint64_t waited, uint64_t ran)
{
	return follow_starves(&(struct follow_look){waited, ran});
}

static void test_waiting_while_the_task_runs_is_right(void **state)
{
	(void)state;
	assert_false(starves(0, 0));
	assert_false(starves(1000, 1000));
	assert_false(starves(0, 5000000));
	assert_false(starves(4000000, 4000000));
}

static void test_a_little_more_is_the_scheduler_itself(void **state)
{
	(void)state;
	assert_false(starves(1500, 1000));
	assert_true(starves(1501, 1000));
}

static void test_waiting_for_strangers(void **state)
{
	(void)state;
	assert_true(starves(1, 0));
	assert_true(starves(5000000, 300000));
	assert_true(starves(UINT64_MAX, UINT64_MAX / 2));
	assert_false(starves(UINT64_MAX, UINT64_MAX));
}

/* 0: as one who follows; else the number of processors it may run on. */
static int how_it_waits(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set))
		return -1;
	return (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_IDLE ? 0 : CPU_COUNT(&set);
}

static int how_a_child_waits(void)
{
	int wstatus = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(how_it_waits());
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	assert_true(WIFEXITED(wstatus));
	return WEXITSTATUS(wstatus);
}

static void test_a_child_of_who_follows_waits_like_anybody(void **state)
{
	struct follow *f = follow_new();
	int before = how_it_waits();
	pid_t task = fork();

	(void)state;
	if (!task)
		for (;;)
			pause();
	assert_true(task > 0);
	for (int i = 0; f && i < 1000 && !follow_is_on(f); i++)
		follow_stopped(f, task);
	bool is_on = follow_is_on(f);
	int there = how_it_waits(), child = how_a_child_waits();

	follow_free(f);
	kill(task, SIGKILL);
	waitpid(task, NULL, 0);
	assert_int_equal(how_it_waits(), before);
	assert_int_equal(child, before);
	if (is_on)
		assert_int_equal(there, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waiting_while_the_task_runs_is_right),
		cmocka_unit_test(test_a_little_more_is_the_scheduler_itself),
		cmocka_unit_test(test_waiting_for_strangers),
		cmocka_unit_test(test_a_child_of_who_follows_waits_like_anybody),
	};

	return cmocka_run_group_tests_name("follow", tests, NULL, NULL);
}
