/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attaching to a process with threads that sleep in vfork(2): orders of clones, execs and ends, on
 * a scripted kernel.
 */
#include "unit/scripted_kernel.h"

static void leave(struct scripted *k, unsigned nth)
{
	(void)nth;
	ask_to_leave(k);
}

/* Process 1: its thread 2 sleeps until process 3 has gone, which runs in the same memory. */
static struct scripted *sleeping_process(void **state)
{
	struct scripted *k = *state;

	appears(k, 1, 1, 1);
	appears(k, 2, 1, 1)->asleep = true;
	appears(k, 3, 3, 1)->ppid = TID(1);
	return k;
}

static void a_thread_that_sleeps_in_vfork_is_not_waited_for_and_its_child_is_seized(void **state)
{
	struct scripted *k = sleeping_process(state);

	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	assert_true(task_of(k, 2)->in_vfork);
	assert_ptr_equal(task_of(k, 3)->space, task_of(k, 1)->space);
	assert_int_equal(task_of(k, 1)->space->tasks, 3);
	assert_false(task_of(k, 1)->silent || task_of(k, 3)->silent);
	/* The child is stopped before there is anything in its memory. */
	const char *image = strstr(k->log, "image 1\n");

	assert_non_null(image);
	assert_true(strstr(k->log, "interrupt 3\n") < image);
	assert_null(strstr(k->log, "cont 2"));
	assert_non_null(strstr(image, "cont 3\n"));
}

static void a_process_whose_only_thread_sleeps_is_told_of_all_the_same(void **state)
{
	struct scripted *k = *state;

	appears(k, 1, 1, 1)->asleep = true;
	appears(k, 3, 3, 1)->ppid = TID(1);
	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	assert_non_null(strstr(k->log, "image 1\n"));
	assert_ptr_equal(task_of(k, 3)->space, task_of(k, 1)->space);
}

/* Its list of threads has been read, and that of the processes was read before. */
static void child_makes_another(struct scripted *k)
{
	if (actor(k, 3)->ours && !actor(k, 4)) {
		actor(k, 3)->asleep = true;
		appears(k, 4, 4, 1)->ppid = TID(3);
	}
}

static void children_that_sleep_in_vfork_themselves_have_theirs_seized(void **state)
{
	struct scripted *k = *state;

	appears(k, 1, 1, 1)->asleep = true;
	appears(k, 3, 3, 1)->ppid = TID(1);
	k->reading = child_makes_another;
	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	assert_int_equal(task_of(k, 1)->space->tasks, 3);
	assert_true(task_of(k, 3)->in_vfork);
	assert_non_null(strstr(k->log, "interrupt 4\n"));
}

static void execs_instead(struct scripted *k)
{
	if (actor(k, 3)->ours && actor(k, 3)->memory == 1) {
		actor(k, 3)->memory = 3;
		happens(k, 3, EVENT(PTRACE_EVENT_EXEC));
		happens(k, 2, EVENT(PTRACE_EVENT_VFORK_DONE));
	}
}

static void a_child_that_executes_a_program_while_it_is_seized_is_let_go(void **state)
{
	struct scripted *k = sleeping_process(state);

	k->reading = execs_instead;
	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	assert_null(task_of(k, 3));
	assert_non_null(strstr(k->log, "detach 3\n"));
	assert_null(strstr(k->log, "image 3\n"));
	assert_int_equal(task_of(k, 1)->space->tasks, 2);
}

/* The child has not been made yet when the thread is asked for the first time. */
static void is_made_late(struct scripted *k, unsigned nth)
{
	if (nth == 3)
		appears(k, 3, 3, 1)->ppid = TID(1);
}

static void who_is_about_to_make_a_child_is_asked_again_until_it_is_there(void **state)
{
	struct scripted *k = *state;

	appears(k, 1, 1, 1);
	appears(k, 2, 1, 1)->asleep = true;
	k->paused = is_made_late;
	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	assert_non_null(task_of(k, 3));
	assert_true(strstr(k->log, "interrupt 3\n") < strstr(k->log, "image 1\n"));
}

static void wakes_late(struct scripted *k, unsigned nth)
{
	if (nth == 3)
		happens(k, 2, EVENT(PTRACE_EVENT_VFORK_DONE));
}

static void who_goes_on_because_its_child_has_gone_is_waited_for(void **state)
{
	struct scripted *k = *state;

	appears(k, 1, 1, 1);
	appears(k, 2, 1, 1)->asleep = true;
	k->paused = wakes_late;
	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	assert_false(task_of(k, 2)->in_vfork);
	assert_null(strstr(k->log, "cont 2\n"));
	run_script(k, leave);
	assert_non_null(strstr(k->log, "cont 2\n"));
}

/* What was a vfork(2) has failed: it stops as everybody else does, and is held from then on. */
static void vfork_fails(struct scripted *k, unsigned nth)
{
	if (nth == 1)
		happens(k, 2, HELD);
	else
		ask_to_leave(k);
}

static void who_stops_after_all_does_not_sleep_any_more(void **state)
{
	struct scripted *k = sleeping_process(state);

	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	run_script(k, vfork_fails);
	assert_false(task_of(k, 2)->in_vfork);
	k->log[0] = 0;
	tracer_stop_all(k->tracer);
	assert_non_null(strstr(k->log, "interrupt 2\n"));
}

static void a_child_of_another_tracer_has_the_process_left_alone(void **state)
{
	struct scripted *k = sleeping_process(state);

	actor(k, 3)->other_tracer = TID(100);
	assert_int_equal(tracer_attach(k->tracer, TID(1)), -EBUSY);
	assert_null(strstr(k->log, "image "));
	assert_non_null(strstr(k->log, "detach 1\n"));
	assert_false(tracer_has_tasks(k->tracer));
}

/* Another process is traced as well, so that the loop continues. */
static void who_slept_when_its_process_was_let_go_is_let_go_when_it_wakes(void **state)
{
	struct scripted *k = *state;

	appears(k, 5, 5, 5);
	assert_int_equal(tracer_attach(k->tracer, TID(5)), 0);
	sleeping_process(state);
	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	tracer_detach_process(k->tracer, TID(1));
	assert_non_null(strstr(k->log, "detach 1\n"));
	assert_non_null(strstr(k->log, "detach 3\n"));
	assert_non_null(task_of(k, 5));
	k->log[0] = 0;
	happens(k, 2, EVENT(PTRACE_EVENT_VFORK_DONE));
	run_script(k, leave);
	assert_non_null(strstr(k->log, "detach 2\n"));
	assert_null(task_of(k, 2));
}

static void count_pause(struct scripted *k, unsigned nth)
{
	(void)k, (void)nth;
}

/* As long as its child lives; the kernel detaches from it when the tracer has ended. */
static void who_sleeps_when_the_tracer_ends_is_not_waited_for(void **state)
{
	struct scripted *k = sleeping_process(state);

	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	k->log[0] = 0;
	k->pauses = 0;
	k->paused = count_pause;
	tracer_leave_all(k->tracer);
	assert_non_null(strstr(k->log, "detach 1\n"));
	assert_non_null(strstr(k->log, "detach 3\n"));
	assert_int_equal(k->pauses, 0);
	assert_false(tracer_has_tasks(k->tracer));
}

static void a_child_that_sits_in_a_memory_of_others_is_left_alone(void **state)
{
	struct scripted *k = sleeping_process(state);

	assert_int_equal(tracer_attach(k->tracer, TID(3)), -EADDRINUSE);
	expect(k, "seize 3\n"
		  "interrupt 3\n"
		  "detach 3\n"
		  "gone 3\n");
	assert_false(tracer_has_tasks(k->tracer));
}

static void a_child_of_a_process_that_is_traced_joins_it(void **state)
{
	struct scripted *k = sleeping_process(state);

	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	k->log[0] = 0;
	assert_int_equal(tracer_attach(k->tracer, TID(3)), 0);
	assert_null(strstr(k->log, "image"));
	assert_ptr_equal(task_of(k, 3)->space, task_of(k, 1)->space);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_script, end_script)
	const struct CMUnitTest tests[] = {
		TEST(a_thread_that_sleeps_in_vfork_is_not_waited_for_and_its_child_is_seized),
		TEST(a_process_whose_only_thread_sleeps_is_told_of_all_the_same),
		TEST(children_that_sleep_in_vfork_themselves_have_theirs_seized),
		TEST(a_child_that_executes_a_program_while_it_is_seized_is_let_go),
		TEST(who_is_about_to_make_a_child_is_asked_again_until_it_is_there),
		TEST(who_goes_on_because_its_child_has_gone_is_waited_for),
		TEST(who_stops_after_all_does_not_sleep_any_more),
		TEST(a_child_of_another_tracer_has_the_process_left_alone),
		TEST(a_child_that_sits_in_a_memory_of_others_is_left_alone),
		TEST(a_child_of_a_process_that_is_traced_joins_it),
		TEST(who_sleeps_when_the_tracer_ends_is_not_waited_for),
		TEST(who_slept_when_its_process_was_let_go_is_let_go_when_it_wakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
