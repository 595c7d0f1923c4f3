/* SPDX-License-Identifier: BSD-2-Clause */
/* How the stops of held tasks are waited for, depending on what the tasks are. */
#include "unit/unit.h"

#include "attach/awaited.h"

enum { LEADER = 100 };

static struct address_space space, other_space;

static int begin(void **state)
{
	static struct tasks t;

	t = (struct tasks){ 0 };
	*state = &t;
	return 0;
}

static int end(void **state)
{
	tasks_release(*state);
	return 0;
}

static struct task *add(void **state, pid_t tid, enum task_state is)
{
	struct task *task = tasks_add(*state, tid);

	assert_non_null(task);
	task->tgid = LEADER;
	task->space = &space;
	task->state = is;
	return task;
}

static void who_has_stopped_for_whatever_reason_is_not_awaited(void **state)
{
	add(state, LEADER, TASK_HELD);
	add(state, 101, TASK_QUEUED);
	add(state, 102, TASK_SERVED);
	add(state, 103, TASK_LISTENING);
	add(state, 104, TASK_PARKED);
	assert_int_equal(awaited(*state, NULL, NULL), AWAITED_NOBODY);
}

static void a_thread_that_runs_tells_of_its_stop_or_its_end(void **state)
{
	add(state, LEADER, TASK_HELD);
	add(state, 101, TASK_RUNNING);
	assert_int_equal(awaited(*state, NULL, NULL), AWAITED_STOPS);
}

static void with_a_leader_the_threads_are_waited_for_first(void **state)
{
	add(state, LEADER, TASK_RUNNING);
	add(state, 101, TASK_RUNNING);
	assert_int_equal(awaited(*state, NULL, NULL), AWAITED_STOPS);
}

/* It may have ended by pthread_exit just before it should stop. */
static void a_leader_alone_may_have_ended_unheard(void **state)
{
	add(state, LEADER, TASK_RUNNING);
	add(state, 101, TASK_HELD);
	assert_int_equal(awaited(*state, NULL, NULL), AWAITED_UNTOLD);
}

static void a_thread_that_has_not_been_heard_of_since_it_was_seized_may_be_asleep(void **state)
{
	struct task *thread = add(state, 101, TASK_RUNNING);

	add(state, LEADER, TASK_HELD);
	thread->silent = true;
	assert_int_equal(awaited(*state, NULL, NULL), AWAITED_UNTOLD);
	/* As long as another one will be heard of, that is waited for. */
	add(state, 102, TASK_RUNNING);
	assert_int_equal(awaited(*state, NULL, NULL), AWAITED_STOPS);
}

static void a_leader_that_is_known_to_have_ended_is_waited_for_no_more(void **state)
{
	struct task *leader = add(state, LEADER, TASK_RUNNING);

	add(state, 101, TASK_HELD);
	leader->over = true;
	assert_int_equal(awaited(*state, NULL, NULL), AWAITED_NOBODY);
}

static void who_sleeps_in_vfork_is_left_asleep(void **state)
{
	add(state, LEADER, TASK_HELD);
	add(state, 101, TASK_RUNNING)->in_vfork = true;
	assert_int_equal(awaited(*state, NULL, NULL), AWAITED_NOBODY);
}

static void whoever_runs_elsewhere_or_is_excepted_does_not_matter(void **state)
{
	struct task *stepper = add(state, LEADER, TASK_RUNNING);

	add(state, 200, TASK_RUNNING)->space = &other_space;
	assert_int_equal(awaited(*state, &space, stepper), AWAITED_NOBODY);
	assert_int_equal(awaited(*state, &space, NULL), AWAITED_UNTOLD);
	assert_int_equal(awaited(*state, NULL, stepper), AWAITED_STOPS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
		TEST(who_has_stopped_for_whatever_reason_is_not_awaited),
		TEST(a_thread_that_runs_tells_of_its_stop_or_its_end),
		TEST(with_a_leader_the_threads_are_waited_for_first),
		TEST(a_leader_alone_may_have_ended_unheard),
		TEST(a_thread_that_has_not_been_heard_of_since_it_was_seized_may_be_asleep),
		TEST(a_leader_that_is_known_to_have_ended_is_waited_for_no_more),
		TEST(who_sleeps_in_vfork_is_left_asleep),
		TEST(whoever_runs_elsewhere_or_is_excepted_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
