/* SPDX-License-Identifier: BSD-2-Clause */
/* Where system calls can be injected into a program, and into which task. */
#include "unit/scripted_kernel.h"

#include "arch/arch.h"
#include "attach/tracer_internal.h"

/* This process has a vdso like any program. */
static void an_instruction_that_makes_calls_is_found_in_any_program(void **state)
{
	struct address_space *s = address_space_new(getpid());
	uint8_t code[16];

	(void)state;
	assert_non_null(s);
	taddr at = 0;

	assert_int_equal(tracer_syscall_insn(s, getpid(), &at), 0);
	memcpy(code, (const void *)(uintptr_t)at, sizeof code);
	assert_int_equal(arch_find_syscall(code, sizeof code), 0);
	address_space_free(s);
}

static bool may_call(enum task_state state, int wstatus)
{
	const struct task task = { .tid = 1, .tgid = 1, .state = state, .wstatus = wstatus };

	return task_can_call(&task);
}

static int stop_of(int sig, int event)
{
	return event << 16 | sig << 8 | 0x7f;
}

static void who_is_held_may_make_calls_and_who_has_a_signal_may_not(void **state)
{
	(void)state;
	assert_true(may_call(TASK_HELD, 0));
	assert_true(may_call(TASK_SERVED, stop_of(SIGTRAP, 0)));
	assert_false(may_call(TASK_SERVED, stop_of(SIGUSR1, 0)));
	assert_true(may_call(TASK_QUEUED, stop_of(SIGSTOP, PTRACE_EVENT_STOP)));
	assert_false(may_call(TASK_RUNNING, 0));
	assert_false(may_call(TASK_LISTENING, 0));
	assert_false(may_call(TASK_QUEUED, stop_of(SIGUSR1, 0)));
	assert_false(may_call(TASK_QUEUED, stop_of(SIGTRAP, PTRACE_EVENT_CLONE)));
	assert_false(may_call(TASK_QUEUED, SIGKILL));
}

static void who_is_about_to_end_makes_no_call(void **state)
{
	struct task task = { .tid = 1, .tgid = 1, .state = TASK_HELD };

	(void)state;
	assert_true(task_can_call(&task));
	task.exiting = true;
	assert_false(task_can_call(&task));
	task.exiting = false;
	task.over = true;
	assert_false(task_can_call(&task));
}

/* ---- who is brought to where it can ---- */

#define SYSCALL_STOP STOPPED(SIGTRAP | 0x80)

static int comes_first; /* to task 1, before what PTRACE_INTERRUPT asks for */

static bool has_stopped_already(struct scripted *k, struct actor *a)
{
	bool first = NUMBER(a->tid) == 1 && comes_first;

	if (first)
		befalls(k, a, comes_first, SI_USER);
	comes_first = first ? 0 : comes_first;
	return first;
}

/* All are stopped, task 1 for something of its own. */
static struct scripted *stopped_for(void **state, int n, int wstatus)
{
	struct scripted *k = traced_process(state, n);

	comes_first = wstatus;
	k->interrupt = has_stopped_already;
	tracer_stop_all(k->tracer);
	k->log[0] = 0;
	return k;
}

static bool is_brought(struct scripted *k)
{
	return tracer_bring_caller(k->tracer, task_of(k, 1)->space);
}

static void who_has_a_signal_is_handed_it_and_stands_where_it_can_call(void **state)
{
	struct scripted *k = stopped_for(state, 1, STOPPED(SIGUSR1));

	assert_false(task_can_call(task_of(k, 1)));
	assert_true(is_brought(k));
	expect(k, "interrupt 1\n"
		  "settle 1\n"
		  "cont 1 USR1\n");
	assert_true(task_can_call(task_of(k, 1)));
	tracer_detach_all(k->tracer);
	assert_non_null(strstr(k->log, "\ndetach 1\n")); /* the signal is not handed out twice */
}

static void who_stands_at_a_system_call_leaves_it_first(void **state)
{
	struct scripted *k = stopped_for(state, 1, SYSCALL_STOP);

	assert_false(task_can_call(task_of(k, 1)));
	assert_true(is_brought(k));
	expect(k, "interrupt 1\n"
		  "cont 1\n");
	assert_true(task_can_call(task_of(k, 1)));
}

static void nobody_is_disturbed_if_another_one_can(void **state)
{
	struct scripted *k = stopped_for(state, 2, STOPPED(SIGUSR1));

	assert_true(is_brought(k));
	expect(k, "");
	assert_false(task_can_call(task_of(k, 1)));
}

static void whose_calls_are_dispatched_to_its_program_makes_none_of_ours(void **state)
{
	struct scripted *k = stopped_for(state, 2, HELD);
	const struct address_space *space = task_of(k, 1)->space;
	struct task *task = tracer_find_task(k->tracer, TID(1));
	struct tracer_calls c;

	for (int n = 1; n <= 2; n++) {
		actor(k, n)->dispatches = true;
		assert_false(tracer_can_call(k->tracer, task_of(k, n)));
		assert_ptr_equal(tracer_caller(k->tracer, space), task_of(k, 3 - n));
		actor(k, n)->dispatches = false;
		assert_true(tracer_can_call(k->tracer, task_of(k, n)));
	}
	actor(k, 1)->dispatches = actor(k, 2)->dispatches = true;
	assert_null(tracer_caller(k->tracer, space));
	assert_false(is_brought(k));
	assert_int_equal(tracer_calls_begin(&c, k->tracer, task, 0x1000), -EAGAIN);
	expect(k, "");
}

static void who_is_killed_on_the_way_cannot(void **state)
{
	struct scripted *k = stopped_for(state, 1, STOPPED(SIGUSR1));

	k->interrupt = NULL;
	actor(k, 1)->killed_next = true;
	assert_false(is_brought(k));
	assert_true(task_has_ended(task_of(k, 1)));
}

static void whose_own_trap_is_told_of_has_it_served_in_its_turn(void **state)
{
	struct scripted *k = stopped_for(state, 1, STOPPED(SIGTRAP));

	befalls(k, actor(k, 1), STOPPED(SIGTRAP), SI_KERNEL);
	assert_false(is_brought(k));
	expect(k, "");
}

static void who_is_in_the_middle_of_a_birth_stays_there(void **state)
{
	struct scripted *k = traced_process(state, 1);

	happens(k, 1, EVENT(PTRACE_EVENT_FORK));
	assert_int_equal(tracer_collect(k->tracer), 0);
	assert_false(is_brought(k));
	expect(k, "");
}

/* ---- an exec ---- */

#define EXEC EVENT(PTRACE_EVENT_EXEC)

static void executes(struct scripted *k, unsigned nth)
{
	if (nth == 1)
		happens(k, 1, EXEC);
	else
		ask_to_leave(k);
}

static void a_task_leaves_its_exec_and_runs_nothing_before_its_image(void **state)
{
	struct scripted *k = traced_process(state, 1);

	k->leaves_exec = true;
	run_script(k, executes);
	expect(k, "gone 1\n"
		  "space gone 1\n"
		  "interrupt 1\n"
		  "cont 1\n"
		  "image 1, can call\n"
		  "cont 1\n");
	assert_int_equal(task_of(k, 1)->state, TASK_RUNNING);
}

static void who_is_not_asked_to_leave_it_stands_at_its_exec(void **state)
{
	struct scripted *k = traced_process(state, 1);

	run_script(k, executes);
	expect(k, "gone 1\n"
		  "space gone 1\n"
		  "image 1\n"
		  "cont 1\n");
}

static void executes_while_others_are_stopped(struct scripted *k, unsigned nth)
{
	if (nth > 1) {
		ask_to_leave(k);
		return;
	}
	happens(k, 1, EXEC);
	happens(k, 2, STOPPED(SIGUSR1));
}

static void what_others_do_meanwhile_waits(void **state)
{
	struct scripted *k = *state;

	appears(k, 2, 2, 2);
	assert_int_equal(tracer_attach(k->tracer, TID(2)), 0);
	traced_process(state, 1);
	k->leaves_exec = true;
	run_script(k, executes_while_others_are_stopped);
	expect(k, "gone 1\n"
		  "space gone 1\n"
		  "interrupt 1\n"
		  "cont 1\n"
		  "image 1, can call\n"
		  "cont 1\n"
		  "settle 2\n"
		  "cont 2 USR1\n");
}

static void in_a_stopped_group(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		actor(k, 1)->group_stop = true;
		happens(k, 1, EXEC);
	} else {
		ask_to_leave(k);
	}
}

/* A SIGSTOP to its process arrives in the middle of the exec. */
static void a_task_of_a_stopped_group_is_an_image_and_stays_stopped(void **state)
{
	struct scripted *k = traced_process(state, 1);

	k->leaves_exec = true;
	run_script(k, in_a_stopped_group);
	expect(k, "gone 1\n"
		  "space gone 1\n"
		  "interrupt 1\n"
		  "cont 1\n"
		  "image 1, can call\n"
		  "listen 1\n");
}

static bool is_killed(struct scripted *k, struct actor *a)
{
	a->trap_pending = false;
	befalls(k, a, KILLED(SIGKILL), 0);
	return true;
}

static void one_that_is_killed_at_its_exec_is_no_image(void **state)
{
	struct scripted *k = traced_process(state, 1);

	k->leaves_exec = true;
	k->interrupt = is_killed;
	run_script(k, executes);
	expect(k, "gone 1\n"
		  "space gone 1\n"
		  "interrupt 1\n"
		  "cont 1: refused\n"
		  "no image 1: ESRCH\n"
		  "gone 1\n"
		  "space gone 1\n"
		  "ended 1 0x9\n");
	assert_null(task_of(k, 1));
}

static bool is_not_told(struct scripted *k, struct actor *a)
{
	(void)k, (void)a;
	return true;
}

static void executes_and_is_killed(struct scripted *k, unsigned nth)
{
	if (nth == 1)
		happens(k, 1, EXEC);
	else if (nth == 2)
		happens(k, 1, KILLED(SIGKILL));
	else
		ask_to_leave(k);
}

/* Its end is handled in its turn, and reported. */
static void one_that_is_killed_on_its_way_out_is_no_image(void **state)
{
	struct scripted *k = traced_process(state, 1);

	k->leaves_exec = true;
	k->interrupt = is_not_told;
	run_script(k, executes_and_is_killed);
	expect(k, "gone 1\n"
		  "space gone 1\n"
		  "interrupt 1\n"
		  "cont 1\n"
		  "no image 1: ESRCH\n"
		  "gone 1\n"
		  "space gone 1\n"
		  "ended 1 0x9\n");
	assert_null(task_of(k, 1));
}

/* ---- who has met a trap, and is to call from there ---- */

/* A process of two is killed: of its leader nothing is told before the other one has been waited
 * for. */
static void traps_and_is_killed(struct scripted *k, unsigned nth)
{
	if (nth == 1)
		traps(k, 1);
	else if (nth == 2)
		happens(k, 2, KILLED(SIGKILL));
	else if (nth == 3)
		happens(k, 1, KILLED(SIGKILL));
	else
		ask_to_leave(k);
}

static void a_leader_that_is_killed_on_the_way_is_told_of_behind_its_threads(void **state)
{
	struct scripted *k = traced_process(state, 2);

	k->has_calls = true;
	k->interrupt = is_not_told;
	run_script(k, traps_and_is_killed);
	expect(k, "trap 1\n"
		  "interrupt 1\n"
		  "cont 1\n"
		  "no call\n"
		  "gone 2\n"
		  "gone 1\n"
		  "space gone 1\n"
		  "ended 1 0x9\n");
	assert_null(task_of(k, 1));
}

static void traps_in_a_stopped_group(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		actor(k, 1)->group_stop = true;
		traps(k, 1);
	} else {
		ask_to_leave(k);
	}
}

static void who_is_stopped_by_job_control_on_the_way_stays_stopped(void **state)
{
	struct scripted *k = traced_process(state, 1);

	k->has_calls = true;
	run_script(k, traps_in_a_stopped_group);
	expect(k, "trap 1\n"
		  "interrupt 1\n"
		  "cont 1\n"
		  "no call\n"
		  "listen 1\n");
	assert_int_equal(task_of(k, 1)->state, TASK_LISTENING);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_script, end_script)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_instruction_that_makes_calls_is_found_in_any_program),
		cmocka_unit_test(who_is_held_may_make_calls_and_who_has_a_signal_may_not),
		cmocka_unit_test(who_is_about_to_end_makes_no_call),
		TEST(who_has_a_signal_is_handed_it_and_stands_where_it_can_call),
		TEST(who_stands_at_a_system_call_leaves_it_first),
		TEST(nobody_is_disturbed_if_another_one_can),
		TEST(whose_calls_are_dispatched_to_its_program_makes_none_of_ours),
		TEST(who_is_killed_on_the_way_cannot),
		TEST(whose_own_trap_is_told_of_has_it_served_in_its_turn),
		TEST(who_is_in_the_middle_of_a_birth_stays_there),
		TEST(a_task_leaves_its_exec_and_runs_nothing_before_its_image),
		TEST(who_is_not_asked_to_leave_it_stands_at_its_exec),
		TEST(what_others_do_meanwhile_waits),
		TEST(a_task_of_a_stopped_group_is_an_image_and_stays_stopped),
		TEST(one_that_is_killed_at_its_exec_is_no_image),
		TEST(one_that_is_killed_on_its_way_out_is_no_image),
		TEST(a_leader_that_is_killed_on_the_way_is_told_of_behind_its_threads),
		TEST(who_is_stopped_by_job_control_on_the_way_stays_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
