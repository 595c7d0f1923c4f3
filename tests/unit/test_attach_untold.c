/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders of ends and forks: which task may have died unreported after forking a child. */
#include "unit/unit.h"

#include "attach/untold.h"

#include <signal.h>
#include <sys/ptrace.h>

enum { PID = 100, THREAD, CHILD, OTHER };

#define EXITED(status) ((status) << 8)
#define KILLED(sig) (sig)
#define STOPPED(event) ((event) << 16 | SIGTRAP << 8 | 0x7f)

static bool leaves_untold(pid_t tid, int wstatus, unsigned tasks, bool threaded)
{
	struct address_space space = { .tasks = tasks, .threaded = threaded };

	return may_leave_untold(&(struct task){ .tid = tid, .tgid = PID, .space = &space,
						.state = TASK_SERVED, .wstatus = wstatus });
}

static void a_process_that_exits_has_told_of_its_children(void **state)
{
	(void)state;
	assert_false(leaves_untold(PID, EXITED(0), 1, false));
	assert_false(leaves_untold(PID, EXITED(3), 1, false));
}

static void a_process_that_is_killed_may_have_been_forking(void **state)
{
	(void)state;
	assert_true(leaves_untold(PID, KILLED(SIGKILL), 1, false));
	assert_true(leaves_untold(PID, KILLED(SIGSEGV | 0x80), 1, false));
}

/* exit(3) by one thread kills the others, but the process has exited normally. */
static void any_thread_may_have_been_forking_when_one_called_exit(void **state)
{
	(void)state;
	assert_true(leaves_untold(PID, EXITED(0), 1, true));
}

static void a_thread_that_ends_while_others_go_on_has_told(void **state)
{
	(void)state;
	assert_false(leaves_untold(THREAD, EXITED(0), 3, true));
}

/* The end of each is reported, the leader's last. */
static void the_last_one_heard_of_answers_for_all_that_were_killed(void **state)
{
	(void)state;
	assert_false(leaves_untold(THREAD, KILLED(SIGKILL), 3, true));
	assert_true(leaves_untold(PID, KILLED(SIGKILL), 1, true));
}

/* The leader had ended before the attach: its end is not reported. */
static void without_a_leader_of_ours_the_last_thread_does(void **state)
{
	(void)state;
	assert_false(leaves_untold(THREAD, KILLED(SIGKILL), 2, true));
	assert_true(leaves_untold(THREAD, KILLED(SIGKILL), 1, true));
}

/* A child in vfork(2) shares its parent's memory, and the parent still exists. */
static void a_process_in_its_parents_memory_is_the_last_of_its_own(void **state)
{
	(void)state;
	assert_true(leaves_untold(PID, KILLED(SIGKILL), 2, false));
	assert_false(leaves_untold(PID, EXITED(0), 2, false));
}

static bool birth_stop(enum task_state is, int wstatus)
{
	return stops_for_birth(
		&(struct task){ .tid = PID, .tgid = PID, .state = is, .wstatus = wstatus });
}

static void who_is_stopped_for_a_birth_that_is_not_served_has_it_to_tell(void **state)
{
	(void)state;
	assert_true(birth_stop(TASK_QUEUED, STOPPED(PTRACE_EVENT_FORK)));
	assert_true(birth_stop(TASK_QUEUED, STOPPED(PTRACE_EVENT_VFORK)));
	assert_true(birth_stop(TASK_QUEUED, STOPPED(PTRACE_EVENT_CLONE)));
	/* told already: what remains of it is an old number */
	assert_false(birth_stop(TASK_RUNNING, STOPPED(PTRACE_EVENT_FORK)));
	assert_false(birth_stop(TASK_HELD, STOPPED(PTRACE_EVENT_FORK)));
	assert_false(birth_stop(TASK_QUEUED, STOPPED(PTRACE_EVENT_EXEC)));
	assert_false(birth_stop(TASK_QUEUED, STOPPED(0)));
	assert_false(birth_stop(TASK_QUEUED, KILLED(SIGKILL)));
}

static void an_orphans_new_parent_tells_of_its_own_children_only(void **state)
{
	(void)state;
	assert_true(may_tell_of(&(struct told_of){ true, CHILD }, CHILD));
	assert_false(may_tell_of(&(struct told_of){ true, OTHER }, CHILD));
}

static void one_that_is_being_killed_may_be_the_parent_until_it_has_ended(void **state)
{
	(void)state;
	assert_true(may_tell_of(&(struct told_of){ false, 0 }, CHILD));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_that_exits_has_told_of_its_children),
		cmocka_unit_test(a_process_that_is_killed_may_have_been_forking),
		cmocka_unit_test(any_thread_may_have_been_forking_when_one_called_exit),
		cmocka_unit_test(a_thread_that_ends_while_others_go_on_has_told),
		cmocka_unit_test(the_last_one_heard_of_answers_for_all_that_were_killed),
		cmocka_unit_test(without_a_leader_of_ours_the_last_thread_does),
		cmocka_unit_test(a_process_in_its_parents_memory_is_the_last_of_its_own),
		cmocka_unit_test(who_is_stopped_for_a_birth_that_is_not_served_has_it_to_tell),
		cmocka_unit_test(an_orphans_new_parent_tells_of_its_own_children_only),
		cmocka_unit_test(one_that_is_being_killed_may_be_the_parent_until_it_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
