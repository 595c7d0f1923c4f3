/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracer's loop, and attaching, holding and detaching, in orders of events that a real kernel
 * rarely chooses. No process takes part. */
#include "unit/scripted_kernel.h"

static void leave(struct scripted *k, unsigned nth)
{
	(void)nth;
	ask_to_leave(k);
}

/* ---- births ---- */

static void stop_of_child_then_event(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		is_born(k, 2, 2, 2, 1);
		happens(k, 2, HELD);
	} else if (nth == 2) {
		expect(k, ""); /* nobody knows yet whose child it is */
		tells_of(k, 1, PTRACE_EVENT_FORK, 2);
	} else {
		ask_to_leave(k);
	}
}

static void a_child_that_stops_before_its_parents_event_waits_for_it(void **state)
{
	struct scripted *k = traced_process(state, 1);

	run_script(k, stop_of_child_then_event);
	expect(k, "forked 2 by 1\n"
		  "cont 1\n"
		  "cont 2\n");
	assert_ptr_not_equal(task_of(k, 1)->space, task_of(k, 2)->space);
}

static void event_then_stop_of_child(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		is_born(k, 3, 3, 3, 1);
		tells_of(k, 1, PTRACE_EVENT_FORK, 3);
	} else if (nth == 2) {
		expect(k, ""); /* the child is waited for, and its parent stays where it is */
		happens(k, 2, STOPPED(SIGUSR1));
		happens(k, 3, HELD);
	} else {
		ask_to_leave(k);
	}
}

static void the_event_of_a_birth_waits_for_that_child_alone(void **state)
{
	struct scripted *k = traced_process(state, 2);

	run_script(k, event_then_stop_of_child);
	expect(k, "forked 3 by 1\n"
		  "cont 1\n"
		  "cont 3\n"
		  "settle 2\n"
		  "cont 2 USR1\n");
}

static void thread_that_ends_then_event(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		is_born(k, 2, 1, 1, 0);
		happens(k, 2, HELD);
	} else if (nth == 2) {
		expect(k, "thread 2 of 1\n"
			  "cont 2\n");
		happens(k, 2, EXITED(0));
	} else if (nth == 3) {
		expect(k, "gone 2\n");
		tells_of(k, 1, PTRACE_EVENT_CLONE, 2);
	} else {
		ask_to_leave(k);
	}
}

static void a_thread_may_have_ended_before_its_parents_event(void **state)
{
	struct scripted *k = traced_process(state, 1);

	run_script(k, thread_that_ends_then_event);
	expect(k, "cont 1\n");
	assert_null(task_of(k, 2));
}

static void child_killed_before_its_first_stop(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		is_born(k, 2, 2, 2, 1);
		tells_of(k, 1, PTRACE_EVENT_FORK, 2);
	} else if (nth == 2) {
		happens(k, 2, KILLED(SIGKILL));
	} else {
		ask_to_leave(k);
	}
}

static void a_child_that_is_killed_before_its_first_stop_is_not_waited_for_again(void **state)
{
	struct scripted *k = traced_process(state, 1);

	run_script(k, child_killed_before_its_first_stop);
	expect(k, "reaped 2 0x9\n"
		  "cont 1\n");
	assert_null(task_of(k, 2));
}

static void parent_killed_before_its_event(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		is_born(k, 2, 2, 2, 1);
		happens(k, 2, HELD);
	} else if (nth == 2) {
		happens(k, 1, KILLED(SIGKILL));
	} else {
		ask_to_leave(k);
	}
}

static void a_child_whose_parent_is_killed_before_its_event_is_its_child_all_the_same(void **state)
{
	struct scripted *k = traced_process(state, 1);

	run_script(k, parent_killed_before_its_event);
	expect(k, "forked 2 by 1\n"
		  "gone 1\n"
		  "space gone 1\n"
		  "ended 1 0x9\n"
		  "cont 2\n");
}

static void parent_killed_before_its_childs_stop(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		is_born(k, 2, 2, 2, 1);
		happens(k, 1, KILLED(SIGKILL));
	} else if (nth == 2) {
		expect(k, "");
		happens(k, 2, HELD);
	} else {
		ask_to_leave(k);
	}
}

static void a_child_of_whom_nothing_was_heard_when_its_parent_is_killed_is_waited_for(void **state)
{
	struct scripted *k = traced_process(state, 1);

	run_script(k, parent_killed_before_its_childs_stop);
	expect(k, "forked 2 by 1\n"
		  "gone 1\n"
		  "space gone 1\n"
		  "ended 1 0x9\n"
		  "cont 2\n");
}

static void thread_2_ends(struct scripted *k, unsigned nth)
{
	if (nth == 1)
		happens(k, 2, EXITED(0));
	else
		ask_to_leave(k);
}

static void number_2_is_given_again(struct scripted *k)
{
	if (actor(k, 2))
		return;
	is_born(k, 2, 1, 1, 0);
	happens(k, 2, HELD);
}

static void a_number_may_be_another_threads_before_the_end_of_the_first_is_served(void **state)
{
	struct scripted *k = traced_process(state, 2);

	k->looked = number_2_is_given_again;
	run_script(k, thread_2_ends);
	expect(k, "gone 2\n"
		  "thread 2 of 1\n"
		  "cont 2\n");
}

/* ---- vfork and exec ---- */

static void vfork_and_exec(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		is_born(k, 2, 2, 1, 1);
		happens(k, 2, HELD);
		tells_of(k, 1, PTRACE_EVENT_VFORK, 2);
	} else if (nth == 2) {
		expect(k, "cont 1\n"
			  "cont 2\n");
		assert_ptr_equal(task_of(k, 1)->space, task_of(k, 2)->space);
		assert_int_equal(task_of(k, 1)->space->tasks, 2);
		assert_true(task_of(k, 1)->in_vfork);
		actor(k, 2)->memory = 2;
		happens(k, 2, EVENT(PTRACE_EVENT_EXEC));
		happens(k, 1, EVENT(PTRACE_EVENT_VFORK_DONE));
	} else {
		ask_to_leave(k);
	}
}

static void the_child_of_a_vfork_shares_the_space_until_its_exec(void **state)
{
	struct scripted *k = traced_process(state, 1);

	run_script(k, vfork_and_exec);
	expect(k, "gone 2\n"
		  "image 2\n"
		  "cont 2\n"
		  "cont 1\n");
	assert_ptr_not_equal(task_of(k, 1)->space, task_of(k, 2)->space);
	assert_int_equal(task_of(k, 1)->space->tasks, 1);
	assert_false(task_of(k, 1)->in_vfork);
}

static void exec_by_thread_2(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		/* The number of the leader is that of the thread from now on. */
		vanishes(k, 2);
		actor(k, 1)->msg = (unsigned long)TID(2);
		happens(k, 1, EVENT(PTRACE_EVENT_EXEC));
	} else {
		ask_to_leave(k);
	}
}

static void an_exec_by_a_thread_goes_on_under_the_leaders_number(void **state)
{
	struct scripted *k = traced_process(state, 2);

	run_script(k, exec_by_thread_2);
	expect(k, "gone 2\n"
		  "gone 1\n"
		  "space gone 1\n"
		  "image 1\n"
		  "cont 1\n");
	assert_null(task_of(k, 2));
	assert_int_equal(task_of(k, 1)->space->tasks, 1);
}

static void signal_of_2_then_exec_by_it(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		happens(k, 2, STOPPED(SIGUSR1));
		happens(k, 1, EVENT(PTRACE_EVENT_EXEC));
	} else {
		ask_to_leave(k);
	}
}

static void what_a_thread_stopped_for_that_an_exec_has_ended_is_not_served(void **state)
{
	struct scripted *k = traced_process(state, 2);

	run_script(k, signal_of_2_then_exec_by_it);
	expect(k, "gone 2\n"
		  "gone 1\n"
		  "space gone 1\n"
		  "image 1\n"
		  "cont 1\n");
}

/* ---- holding a space ---- */

static void trap_of_1(struct scripted *k, unsigned nth)
{
	if (nth == 1)
		traps(k, 1);
	else
		ask_to_leave(k);
}

static void an_instruction_is_stepped_with_all_others_held(void **state)
{
	struct scripted *k = traced_process(state, 2);

	k->answer[0] = TRAP_STEP;
	run_script(k, trap_of_1);
	expect(k, "trap 1\n"
		  "interrupt 2\n"
		  "out 1\n"
		  "step 1\n"
		  "in 1, stepped\n"
		  "cont 2\n"
		  "cont 1\n");
}

static bool dies_instead(struct scripted *k, struct actor *a)
{
	befalls(k, a, KILLED(SIGKILL), 0);
	return true;
}

static void a_thread_that_dies_instead_of_stopping_is_held_no_longer(void **state)
{
	struct scripted *k = traced_process(state, 2);

	k->answer[0] = TRAP_STEP;
	k->interrupt = dies_instead;
	run_script(k, trap_of_1);
	expect(k, "trap 1\n"
		  "interrupt 2\n"
		  "out 1\n"
		  "step 1\n"
		  "in 1, stepped\n"
		  "cont 1\n"
		  "gone 2\n");
}

static bool step_while_2_dies(struct scripted *k, struct actor *a)
{
	(void)a;
	happens(k, 2, KILLED(SIGKILL));
	return false;
}

static void a_task_that_dies_while_held_is_served_after_the_step_and_not_resumed(void **state)
{
	struct scripted *k = traced_process(state, 2);

	k->answer[0] = TRAP_STEP;
	k->step = step_while_2_dies;
	run_script(k, trap_of_1);
	expect(k, "trap 1\n"
		  "interrupt 2\n"
		  "out 1\n"
		  "step 1\n"
		  "in 1, stepped\n"
		  "cont 1\n"
		  "gone 2\n");
}

static bool signal_instead(struct scripted *k, struct actor *a)
{
	befalls(k, a, STOPPED(SIGUSR1), SI_USER);
	k->step = NULL;
	return true;
}

static void a_signal_that_comes_before_the_step_finds_the_trap_in_place(void **state)
{
	struct scripted *k = traced_process(state, 1);

	k->answer[0] = TRAP_STEP;
	k->step = signal_instead;
	run_script(k, trap_of_1);
	expect(k, "trap 1\n"
		  "out 1\n"
		  "step 1\n"
		  "in 1\n"
		  "settle 1\n"
		  "cont 1 USR1\n");
}

static bool step_after_interrupt(struct scripted *k, struct actor *a)
{
	befalls(k, a, HELD, 0);
	k->step = NULL;
	return true;
}

static void the_answer_to_an_interrupt_is_not_the_end_of_a_step(void **state)
{
	struct scripted *k = traced_process(state, 1);

	k->answer[0] = TRAP_STEP;
	k->step = step_after_interrupt;
	run_script(k, trap_of_1);
	expect(k, "trap 1\n"
		  "out 1\n"
		  "step 1\n"
		  "step 1\n"
		  "in 1, stepped\n"
		  "cont 1\n");
}

static void leader_ends_then_threads_trap(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		ends_unheard(k, 1);
		traps(k, 2);
	} else if (nth == 2) {
		expect(k, "trap 2\n"
			  "interrupt 1: refused\n"
			  "interrupt 3\n"
			  "out 2\n"
			  "step 2\n"
			  "in 2, stepped\n"
			  "cont 3\n"
			  "cont 2\n");
		traps(k, 3);
	} else if (nth == 3) {
		expect(k, "trap 3\n"
			  "interrupt 2\n" /* it is known that the leader is over */
			  "out 3\n"
			  "step 3\n"
			  "in 3, stepped\n"
			  "cont 2\n"
			  "cont 3\n");
		happens(k, 2, EXITED(0));
		happens(k, 3, EXITED(0));
		happens(k, 1, EXITED(7));
	}
}

static void a_leader_may_end_while_its_threads_go_on(void **state)
{
	struct scripted *k = traced_process(state, 3);

	k->answer[0] = TRAP_STEP;
	run_script(k, leader_ends_then_threads_trap);
	expect(k, "gone 2\n"
		  "gone 3\n"
		  "gone 1\n"
		  "space gone 1\n"
		  "ended 1 0x700\n");
	assert_false(tracer_has_tasks(k->tracer));
}

/* ---- signals ---- */

static void a_trap_of_the_programs_own_is_delivered(void **state)
{
	struct scripted *k = traced_process(state, 1);

	k->answer[0] = TRAP_NOT_OURS;
	run_script(k, trap_of_1);
	expect(k, "trap 1\n"
		  "settle 1\n"
		  "cont 1 TRAP\n");
}

static void a_trap_in_doubt_is_ours_if_a_trap_instruction_caused_it(void **state)
{
	struct scripted *k = traced_process(state, 1);

	k->answer[0] = TRAP_DOUBTFUL;
	run_script(k, trap_of_1);
	expect(k, "trap 1\n"
		  "trap 1, certain\n"
		  "cont 1\n");
}

static void sigtrap_by_kill(struct scripted *k, unsigned nth)
{
	if (nth == 1)
		happens(k, 1, STOPPED(SIGTRAP));
	else
		ask_to_leave(k);
}

static void a_trap_in_doubt_is_delivered_if_somebody_has_sent_it(void **state)
{
	struct scripted *k = traced_process(state, 1);

	k->answer[0] = TRAP_DOUBTFUL;
	run_script(k, sigtrap_by_kill);
	expect(k, "trap 1\n"
		  "settle 1\n"
		  "cont 1 TRAP\n");
}

static void stopped_by_job_control(struct scripted *k, unsigned nth)
{
	if (nth == 1)
		happens(k, 1, STOPPED(SIGSTOP));
	else if (nth == 2)
		happens(k, 1, GROUP_STOP);
	else
		ask_to_leave(k);
}

static void a_group_stop_is_listened_to_and_left_as_it_was_at_detach(void **state)
{
	struct scripted *k = traced_process(state, 1);

	run_script(k, stopped_by_job_control);
	expect(k, "settle 1\n"
		  "cont 1 STOP\n"
		  "listen 1\n");
	tracer_detach_all(k->tracer);
	expect(k, "interrupt 1\n"
		  "settle 1\n"
		  "clean 1\n"
		  "detach 1\n"
		  "gone 1\n"
		  "space gone 1\n");
}

static void a_trap_behind_a_group_stop_is_fetched_and_the_group_stop_told_again(void **state)
{
	struct scripted *k = traced_process(state, 1);

	run_script(k, stopped_by_job_control);
	k->log[0] = 0;
	actor(k, 1)->trap_pending = true;
	tracer_stop_all(k->tracer);
	expect(k, "interrupt 1\n"
		  "cont 1\n"
		  "settle 1, trapped\n");
	tracer_continue(k->tracer);
	run_script(k, leave);
	expect(k, "interrupt 1\n"
		  "cont 1\n"
		  "listen 1\n");
}

static bool signal_for_2(struct scripted *k, struct actor *a)
{
	if (a->tid != TID(2))
		return false;
	befalls(k, a, STOPPED(SIGUSR1), SI_USER);
	return true;
}

static void a_signal_that_comes_while_all_are_stopped_is_delivered_once_afterwards(void **state)
{
	struct scripted *k = traced_process(state, 2);

	k->interrupt = signal_for_2;
	tracer_stop_all(k->tracer);
	k->log[0] = 0;
	tracer_continue(k->tracer);
	expect(k, "cont 1\n");
	run_script(k, trap_of_1);
	expect(k, "settle 2\n"
		  "cont 2 USR1\n"
		  "trap 1\n"
		  "cont 1\n");
}

static void a_signal_that_comes_while_all_are_stopped_goes_with_the_task_at_detach(void **state)
{
	struct scripted *k = traced_process(state, 2);

	k->interrupt = signal_for_2;
	tracer_stop_all(k->tracer);
	k->log[0] = 0;
	tracer_detach_all(k->tracer);
	assert_non_null(strstr(k->log, "\ndetach 1\n"));
	assert_non_null(strstr(k->log, "\ndetach 2 USR1\n"));
	assert_null(strstr(k->log, "cont"));
}

/* ---- the loop ---- */

static void a_signal_to_the_tracer_just_before_it_sleeps_ends_the_wait(void **state)
{
	struct scripted *k = traced_process(state, 1);

	run_script(k, leave);
	assert_int_equal(k->sleeps, 1);
	expect(k, "");
}

static void leave_when_told_of_a_signal(struct scripted *k, unsigned nth)
{
	assert_int_equal(nth, 1);
	happens(k, 1, STOPPED(SIGUSR1));
	k->stop = 1;
}

static void a_stop_that_comes_together_with_the_wish_to_leave_is_not_lost(void **state)
{
	struct scripted *k = traced_process(state, 1);

	run_script(k, leave_when_told_of_a_signal);
	expect(k, "");
	tracer_detach_all(k->tracer);
	expect(k, "settle 1\n"
		  "clean 1\n"
		  "detach 1 USR1\n"
		  "gone 1\n"
		  "space gone 1\n");
}

static void signals_of_2_and_1(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		happens(k, 2, STOPPED(SIGUSR2));
		happens(k, 1, STOPPED(SIGUSR1));
	} else {
		ask_to_leave(k);
	}
}

static void stops_that_come_together_are_served_in_the_order_in_which_they_came(void **state)
{
	struct scripted *k = traced_process(state, 2);

	run_script(k, signals_of_2_and_1);
	expect(k, "settle 2\n"
		  "cont 2 USR2\n"
		  "settle 1\n"
		  "cont 1 USR1\n");
}

static void busy_two_and_signal_of_3(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		actor(k, 1)->busy = actor(k, 2)->busy = true;
		traps(k, 1);
		traps(k, 2);
		happens(k, 3, STOPPED(SIGUSR1));
	} else {
		ask_to_leave(k);
	}
}

static enum trap_answer breakpoint_of_many(void *ctx, struct task *task, bool certain)
{
	struct scripted *k = ctx;

	if (tracer_stops(k->tracer) >= 20)
		ask_to_leave(k);
	return owner_trap(k, task, certain);
}

static void two_tasks_that_stop_all_the_time_do_not_starve_a_third(void **state)
{
	struct tracer_ops ops = owner_ops;
	struct scripted *k = *state;
	struct kernel kernel = kernel_of_script(k);

	ops.trap = breakpoint_of_many;
	tracer_free(k->tracer);
	k->tracer = tracer_new_on(&kernel, &ops, k, NULL);
	assert_non_null(k->tracer);
	tracer_set_wait(k->tracer, WAIT_SLEEP);
	k = traced_process(state, 3);
	k->same_first = true;
	run_script(k, busy_two_and_signal_of_3);
	const char *third = strstr(k->log, "cont 3 USR1\n");

	assert_non_null(third);
	assert_true(third - k->log < 100); /* in the first round, though there were many */
	assert_non_null(strstr(third, "trap 1\n"));
	assert_non_null(strstr(third, "trap 2\n"));
}

static void killed_unheard(struct scripted *k, unsigned nth)
{
	assert_int_equal(nth, 1);
	vanishes(k, 2);
	happens(k, 1, KILLED(SIGKILL));
}

static void who_is_thought_to_run_when_nobody_is_left_has_ended(void **state)
{
	struct scripted *k = traced_process(state, 2);

	run_script(k, killed_unheard);
	expect(k, "gone 2\n"
		  "gone 1\n"
		  "space gone 1\n"
		  "ended 1 0x9\n");
	assert_false(tracer_has_tasks(k->tracer));
}

static void exits_of_both(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		happens(k, 2, EVENT(PTRACE_EVENT_EXIT));
	} else if (nth == 2) {
		expect(k, "cont 2\n");
		happens(k, 1, EVENT(PTRACE_EVENT_EXIT));
	} else {
		ask_to_leave(k);
	}
}

static void only_the_last_task_of_a_space_that_exits_is_told_of(void **state)
{
	struct scripted *k = *state;

	tracer_watch_exits(k->tracer);
	k = traced_process(state, 2);
	run_script(k, exits_of_both);
	expect(k, "exiting 1\n"
		  "cont 1\n");
}

/* ---- letting go ---- */

static void child_in_vfork(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		is_born(k, 2, 2, 1, 1);
		happens(k, 2, HELD);
		tells_of(k, 1, PTRACE_EVENT_VFORK, 2);
	} else {
		ask_to_leave(k);
	}
}

static void vfork_is_done(struct scripted *k, unsigned nth)
{
	if (nth == 3)
		happens(k, 1, EVENT(PTRACE_EVENT_VFORK_DONE));
}

static void who_sleeps_in_vfork_is_let_go_when_its_child_has_been(void **state)
{
	struct scripted *k = traced_process(state, 1);

	run_script(k, child_in_vfork);
	k->log[0] = 0;
	k->paused = vfork_is_done;
	tracer_detach_all(k->tracer);
	expect(k, "interrupt 2\n"
		  "settle 2\n"
		  "clean 1\n" /* once for both tasks: it is their space that is cleaned */
		  "detach 2\n"
		  "gone 2\n"
		  "detach 1\n"
		  "gone 1\n"
		  "space gone 1\n");
}

static void who_sleeps_in_vfork_for_long_is_left_to_the_kernel(void **state)
{
	struct scripted *k = traced_process(state, 1);

	run_script(k, child_in_vfork);
	tracer_detach_all(k->tracer);
	assert_false(tracer_has_tasks(k->tracer));
	assert_null(strstr(k->log, "interrupt 1"));
	assert_non_null(strstr(k->log, "detach 2\n"));
	assert_null(strstr(k->log, "detach 1"));
}

/* ---- attaching ---- */

static void a_process_is_seized_held_and_only_then_told_of(void **state)
{
	struct scripted *k = *state;

	appears(k, 1, 1, 1);
	appears(k, 2, 1, 1);
	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	/* In which order they are interrupted, and which of the two is shown, does not matter. */
	const char *image = strstr(k->log, "image ");

	assert_memory_equal(k->log, "seize 1\nseize 2\ninterrupt ", 26);
	assert_non_null(image);
	assert_null(strstr(image, "interrupt "));
	assert_ptr_equal(strstr(k->log, "cont "), strchr(image, '\n') + 1);
	assert_null(strstr(image + 1, "image "));
}

/* In the middle of clone(2) when its maker was seized. */
static void thread_that_nobody_seized(struct scripted *k)
{
	if (!actor(k, 2))
		appears(k, 2, 1, 1);
}

static void a_thread_that_is_born_while_the_list_is_read_is_seized_in_the_next_reading(void **state)
{
	struct scripted *k = *state;

	appears(k, 1, 1, 1);
	k->reading = thread_that_nobody_seized;
	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	assert_memory_equal(k->log, "seize 1\nseize 2\ninterrupt ", 26);
	assert_int_equal(task_of(k, 1)->space->tasks, 2);
	assert_ptr_equal(task_of(k, 2)->space, task_of(k, 1)->space);
}

static void a_worker_of_the_kernels_is_not_seized_and_its_process_is_complete(void **state)
{
	struct scripted *k = *state;

	appears(k, 1, 1, 1);
	appears(k, 2, 1, 1)->worker = true;
	appears(k, 3, 1, 1);
	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	assert_memory_equal(k->log, "seize 1\nseize 3\ninterrupt ", 26);
	assert_non_null(strstr(k->log, "image "));
	assert_null(strstr(k->log, "interrupt 2\n"));
	assert_null(task_of(k, 2));
}

/* A worker has been listed, and ends; a thread has been missed. */
static void thread_instead_of_worker(struct scripted *k)
{
	struct actor *worker = actor(k, 2);

	if (worker && strstr(k->log, "interrupt ")) {
		worker->there = false;
		appears(k, 3, 1, 1);
	}
}

static void a_worker_that_ends_while_the_list_is_read_hides_no_thread(void **state)
{
	struct scripted *k = *state;

	appears(k, 1, 1, 1);
	appears(k, 2, 1, 1)->worker = true;
	k->reading = thread_instead_of_worker;
	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	const char *seized = strstr(k->log, "seize 3\n"), *image = strstr(k->log, "image ");

	assert_non_null(seized);
	assert_true(image > seized);
}

/* It has been seized before it made the thread, which therefore is traced from the start. */
static bool birth_instead(struct scripted *k, struct actor *a)
{
	k->interrupt = NULL;
	is_born(k, 2, 1, 1, 0);
	tells_of(k, NUMBER(a->tid), PTRACE_EVENT_CLONE, 2);
	happens(k, 2, HELD);
	return true;
}

static void a_thread_that_is_born_while_its_process_is_stopped_is_ours_from_the_start(void **state)
{
	struct scripted *k = *state;

	appears(k, 1, 1, 1);
	k->interrupt = birth_instead;
	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	run_script(k, leave);
	run_script(k, trap_of_1);
	assert_non_null(strstr(k->log, "image 1\n"));
	assert_non_null(strstr(k->log, "thread 2 of 1\n"));
	assert_non_null(strstr(k->log, "cont 2\n"));
	assert_ptr_equal(task_of(k, 2)->space, task_of(k, 1)->space);
	assert_int_equal(task_of(k, 1)->space->tasks, 2);
}

static void a_process_with_a_thread_of_another_tracer_is_left_alone(void **state)
{
	struct scripted *k = *state;

	appears(k, 1, 1, 1);
	appears(k, 2, 1, 1)->other_tracer = TID(100);
	assert_int_equal(tracer_attach(k->tracer, TID(1)), -EBUSY);
	expect(k, "seize 1\n"
		  "seize 2: refused\n"
		  "interrupt 1\n"
		  "detach 1\n"
		  "gone 1\n");
	assert_false(tracer_has_tasks(k->tracer));
}

static unsigned readings;

static void is_read(struct scripted *k)
{
	readings++;
	k->log[0] = 0;
}

/* As execs of a program with many threads do: whoever has taken a number is not who was refused. */
static void threads_end_in_execs(struct scripted *k)
{
	is_read(k);
	actor(k, 2)->not_seized = readings > 300			? 0
				  : readings > 200 || readings % 3 ? EPERM
								   : ESRCH;
}

static void who_ends_in_an_exec_is_not_refused_for_want_of_a_right(void **state)
{
	struct scripted *k = *state;

	readings = 0;
	appears(k, 1, 1, 1);
	appears(k, 2, 1, 1)->not_seized = EPERM;
	k->reading = threads_end_in_execs;
	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	assert_int_equal(task_of(k, 1)->space->tasks, 2);
}

static void who_is_refused_all_the_time_is_not_permitted(void **state)
{
	struct scripted *k = *state;

	readings = 0;
	appears(k, 1, 1, 1)->private = true;
	appears(k, 2, 1, 1)->not_seized = EPERM;
	k->reading = is_read;
	assert_int_equal(tracer_attach(k->tracer, TID(1)), -EPERM);
	assert_in_range(readings, 1, 100);
	assert_false(tracer_has_tasks(k->tracer));
	/* A filter of system calls may forbid ptrace(2) alone. */
	actor(k, 1)->private = false;
	assert_int_equal(tracer_attach(k->tracer, TID(1)), -EPERM);
	assert_in_range(readings, 1000, 5000);
}

/* ---- what programs tell without a stop ---- */

static void tells_twice(struct scripted *k, unsigned nth)
{
	if (nth == 1) {
		expect(k, "told 7\n");
		assert_int_not_equal(k->wake_ns, 0);
		k->told = 9;
	} else {
		expect(k, "told 9\n");
		ask_to_leave(k);
	}
}

static void what_is_told_without_a_stop_is_asked_for_before_each_sleep(void **state)
{
	struct scripted *k = traced_process(state, 1);

	tracer_look_often(k->tracer);
	k->told = 7;
	run_script(k, tells_twice);
	assert_int_equal(k->wake_ns, 0); /* nobody is left to be woken for it */
}

static void stays_silent(struct scripted *k, unsigned nth)
{
	if (nth == 1)
		k->told = 1;
	else if (nth == 2)
		k->first_wake = k->wake_ns;
	else if (nth == 400)
		ask_to_leave(k);
	k->last_wake = k->wake_ns;
}

static void a_program_that_has_told_nothing_for_long_is_asked_less_often(void **state)
{
	struct scripted *k = traced_process(state, 1);

	tracer_look_often(k->tracer);
	run_script(k, stays_silent);
	assert_true(k->last_wake > k->first_wake);
}

static void lets_it_run(struct scripted *k, unsigned nth)
{
	(void)nth;
	happens(k, 1, STOPPED(SIGUSR1));
}

static void who_is_in_the_middle_of_what_is_ours_runs_on_until_it_has_left_it(void **state)
{
	struct scripted *k = traced_process(state, 1);

	k->in_the_middle = 2;
	k->paused = lets_it_run;
	tracer_detach_all(k->tracer);
	expect(k, "interrupt 1\n"
		  "settle 1\n"
		  "clean 1: not yet\n"
		  "cont 1\n"
		  "settle 1\n"
		  "cont 1 USR1\n"
		  "interrupt 1\n"
		  "settle 1\n"
		  "clean 1: not yet\n"
		  "cont 1\n"
		  "settle 1\n"
		  "cont 1 USR1\n"
		  "interrupt 1\n"
		  "settle 1\n"
		  "clean 1\n"
		  "detach 1\n"
		  "gone 1\n"
		  "space gone 1\n");
}

static void time_passes(struct scripted *k, unsigned nth)
{
	(void)k, (void)nth;
}

/* Another signal for each that it was handed, as long as there are some left; then it comes out. */
static void is_flooded(struct scripted *k)
{
	static int left = 400;

	if (actor(k, 1)->stopped || !left)
		return;
	k->log[0] = 0;
	if (--left)
		happens(k, 1, STOPPED(SIGUSR1));
	else
		k->in_the_middle = 0;
}

static void who_gets_signals_without_end_meanwhile_runs_on_all_the_same(void **state)
{
	struct scripted *k = traced_process(state, 1);

	k->in_the_middle = 1000;
	k->looked = is_flooded;
	k->paused = time_passes;
	tracer_detach_all(k->tracer);
	assert_in_range(k->pauses, 1, 5);
}

static void the_wait_fails(struct scripted *k, unsigned nth)
{
	(void)nth;
	k->wait_fails = EINVAL;
}

static void a_wait_that_fails_meanwhile_leaves_nobody_behind(void **state)
{
	struct scripted *k = traced_process(state, 1);

	k->in_the_middle = 1;
	k->paused = the_wait_fails;
	tracer_detach_all(k->tracer);
	expect(k, "interrupt 1\n"
		  "settle 1\n"
		  "clean 1: not yet\n"
		  "cont 1\n"
		  "interrupt 1\n"
		  "settle 1\n"
		  "clean 1\n"
		  "detach 1\n"
		  "gone 1\n"
		  "space gone 1\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_script, end_script)
	const struct CMUnitTest tests[] = {
		TEST(a_child_that_stops_before_its_parents_event_waits_for_it),
		TEST(the_event_of_a_birth_waits_for_that_child_alone),
		TEST(a_thread_may_have_ended_before_its_parents_event),
		TEST(a_child_that_is_killed_before_its_first_stop_is_not_waited_for_again),
		TEST(a_child_whose_parent_is_killed_before_its_event_is_its_child_all_the_same),
		TEST(a_child_of_whom_nothing_was_heard_when_its_parent_is_killed_is_waited_for),
		TEST(a_number_may_be_another_threads_before_the_end_of_the_first_is_served),
		TEST(the_child_of_a_vfork_shares_the_space_until_its_exec),
		TEST(an_exec_by_a_thread_goes_on_under_the_leaders_number),
		TEST(what_a_thread_stopped_for_that_an_exec_has_ended_is_not_served),
		TEST(an_instruction_is_stepped_with_all_others_held),
		TEST(a_thread_that_dies_instead_of_stopping_is_held_no_longer),
		TEST(a_task_that_dies_while_held_is_served_after_the_step_and_not_resumed),
		TEST(a_signal_that_comes_before_the_step_finds_the_trap_in_place),
		TEST(the_answer_to_an_interrupt_is_not_the_end_of_a_step),
		TEST(a_leader_may_end_while_its_threads_go_on),
		TEST(a_trap_of_the_programs_own_is_delivered),
		TEST(a_trap_in_doubt_is_ours_if_a_trap_instruction_caused_it),
		TEST(a_trap_in_doubt_is_delivered_if_somebody_has_sent_it),
		TEST(a_group_stop_is_listened_to_and_left_as_it_was_at_detach),
		TEST(a_trap_behind_a_group_stop_is_fetched_and_the_group_stop_told_again),
		TEST(a_signal_that_comes_while_all_are_stopped_is_delivered_once_afterwards),
		TEST(a_signal_that_comes_while_all_are_stopped_goes_with_the_task_at_detach),
		TEST(a_signal_to_the_tracer_just_before_it_sleeps_ends_the_wait),
		TEST(a_stop_that_comes_together_with_the_wish_to_leave_is_not_lost),
		TEST(stops_that_come_together_are_served_in_the_order_in_which_they_came),
		TEST(two_tasks_that_stop_all_the_time_do_not_starve_a_third),
		TEST(who_is_thought_to_run_when_nobody_is_left_has_ended),
		TEST(only_the_last_task_of_a_space_that_exits_is_told_of),
		TEST(who_sleeps_in_vfork_is_let_go_when_its_child_has_been),
		TEST(who_sleeps_in_vfork_for_long_is_left_to_the_kernel),
		TEST(a_process_is_seized_held_and_only_then_told_of),
		TEST(a_thread_that_is_born_while_the_list_is_read_is_seized_in_the_next_reading),
		TEST(a_worker_of_the_kernels_is_not_seized_and_its_process_is_complete),
		TEST(a_worker_that_ends_while_the_list_is_read_hides_no_thread),
		TEST(a_thread_that_is_born_while_its_process_is_stopped_is_ours_from_the_start),
		TEST(a_process_with_a_thread_of_another_tracer_is_left_alone),
		TEST(who_ends_in_an_exec_is_not_refused_for_want_of_a_right),
		TEST(who_is_refused_all_the_time_is_not_permitted),
		TEST(what_is_told_without_a_stop_is_asked_for_before_each_sleep),
		TEST(a_program_that_has_told_nothing_for_long_is_asked_less_often),
		TEST(who_is_in_the_middle_of_what_is_ours_runs_on_until_it_has_left_it),
		TEST(who_gets_signals_without_end_meanwhile_runs_on_all_the_same),
		TEST(a_wait_that_fails_meanwhile_leaves_nobody_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
