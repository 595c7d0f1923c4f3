/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens to a process between its seizing and the report to the tracer's owner. */
#include "unit/scripted_kernel.h"

/* So often the look is not enough. */
static unsigned again;

static bool look(void *ctx, pid_t pid)
{
	struct scripted *k = ctx;

	note(k, "look at %d\n", NUMBER(pid));
	return again && again--;
}

static struct scripted *process_to_look_at(void **state, unsigned n)
{
	struct scripted *k = *state;

	again = n;
	appears(k, 1, 1, 1);
	tracer_look_first(k->tracer, look, k);
	return k;
}

static void the_first_thing_is_a_look(void **state)
{
	struct scripted *k = process_to_look_at(state, 0);

	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	expect(k, "seize 1\n"
		  "interrupt 1\n"
		  "look at 1\n"
		  "image 1\n"
		  "cont 1\n");
}

static void it_may_run_for_a_moment_between_two_looks(void **state)
{
	struct scripted *k = process_to_look_at(state, 2);

	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	expect(k, "seize 1\n"
		  "interrupt 1\n"
		  "look at 1\n"
		  "cont 1\n"
		  "interrupt 1\n"
		  "settle 1\n"
		  "look at 1\n"
		  "cont 1\n"
		  "interrupt 1\n"
		  "settle 1\n"
		  "look at 1\n"
		  "image 1\n"
		  "cont 1\n");
}

static void executes(struct scripted *k, unsigned nth)
{
	(void)nth;
	happens(k, 1, EVENT(PTRACE_EVENT_EXEC));
}

static void a_program_that_is_executed_meanwhile_is_not_looked_at(void **state)
{
	struct scripted *k = process_to_look_at(state, 2);

	k->paused = executes;
	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	const char *image = strstr(k->log, "image 1");

	assert_non_null(image);
	assert_null(strstr(image + 1, "image 1"));
	assert_null(strstr(strstr(k->log, "look at 1") + 1, "look at 1"));
}

static void is_killed(struct scripted *k, unsigned nth)
{
	(void)nth;
	happens(k, 1, KILLED(SIGKILL));
}

static void who_is_killed_meanwhile_is_gone(void **state)
{
	struct scripted *k = process_to_look_at(state, 2);

	k->paused = is_killed;
	assert_int_equal(tracer_attach(k->tracer, TID(1)), -ESRCH);
	assert_null(strstr(k->log, "image 1"));
}

static void number_2_is_killed(struct scripted *k, unsigned nth)
{
	(void)nth;
	happens(k, 2, KILLED(SIGKILL));
}

/* All traced tasks are held for an attach; those that were there before run on if it fails. */
static void whoever_was_there_before_runs_on_if_the_next_one_is_gone(void **state)
{
	struct scripted *k = process_to_look_at(state, 0);

	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	again = 2;
	appears(k, 2, 2, 2);
	k->paused = number_2_is_killed;
	assert_int_equal(tracer_attach(k->tracer, TID(2)), -ESRCH);
	assert_int_equal(task_of(k, 1)->state, TASK_RUNNING);
	assert_null(task_of(k, 2));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_script, end_script)
	const struct CMUnitTest tests[] = {
		TEST(the_first_thing_is_a_look),
		TEST(it_may_run_for_a_moment_between_two_looks),
		TEST(a_program_that_is_executed_meanwhile_is_not_looked_at),
		TEST(who_is_killed_meanwhile_is_gone),
		TEST(whoever_was_there_before_runs_on_if_the_next_one_is_gone),
	};

	return cmocka_run_group_tests_name("seize", tests, NULL, NULL);
}
