/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "attach/stop.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define TID 4711
#define TRAP_CODE SI_KERNEL
#define STOPPED(sig) ((sig) << 8 | 0x7f)
#define EVENT(event, sig) ((event) << 16 | STOPPED(sig))

static void assert_stop(int wstatus, int si_code, enum stop_kind kind, int arg)
{
	struct stop s = stop_decode(TID, wstatus, si_code, TRAP_CODE);

	assert_int_equal(s.tid, TID);
	assert_int_equal(s.kind, kind);
	assert_int_equal(s.arg, arg);
}

static void an_exit_tells_its_status(void **state)
{
	(void)state;
	for (int status = 0; status < 256; status++)
		assert_stop(status << 8, SI_USER, STOP_EXITED, status);
}

static void a_death_tells_its_signal_with_or_without_a_core(void **state)
{
	(void)state;
	for (int sig = 1; sig <= SIGRTMAX; sig++) {
		assert_stop(sig, SI_USER, STOP_KILLED, sig);
		assert_stop(sig | 0x80, SI_USER, STOP_KILLED, sig);
	}
}

/* All of these arrive as status 0x57f. */
static void the_si_code_tells_a_trap_from_a_step_and_from_a_signal(void **state)
{
	static const int of_the_program[] = { SI_USER, SI_QUEUE, SI_TKILL, SI_TIMER, SI_MESGQ,
					      SI_ASYNCIO, TRAP_BRKPT, TRAP_BRANCH, TRAP_HWBKPT };

	(void)state;
	assert_stop(0x57f, SI_KERNEL, STOP_TRAP, SIGTRAP);
	assert_stop(0x57f, TRAP_TRACE, STOP_STEPPED, SIGTRAP);
	for (size_t i = 0; i < sizeof of_the_program / sizeof *of_the_program; i++)
		assert_stop(0x57f, of_the_program[i], STOP_SIGNAL, SIGTRAP);
}

static void the_si_code_of_a_trap_is_the_machines_own(void **state)
{
	struct stop s = stop_decode(TID, 0x57f, TRAP_BRKPT, TRAP_BRKPT);

	(void)state;
	assert_int_equal(s.kind, STOP_TRAP);
	s = stop_decode(TID, 0x57f, SI_KERNEL, TRAP_BRKPT);
	assert_int_equal(s.kind, STOP_SIGNAL);
}

/* SI_KERNEL is also what a SIGSEGV of a non-canonical address or a SIGIO has. */
static void every_other_signal_is_one_whatever_its_si_code(void **state)
{
	static const int codes[] = { SI_USER, SI_KERNEL, TRAP_TRACE };

	(void)state;
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		for (size_t i = 0; sig != SIGTRAP && i < sizeof codes / sizeof *codes; i++)
			assert_stop(STOPPED(sig), codes[i], STOP_SIGNAL, sig);
}

static void job_control_stops_are_told_from_held_tasks(void **state)
{
	static const int stopping[] = { SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU };

	(void)state;
	for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++) {
		assert_stop(EVENT(PTRACE_EVENT_STOP, stopping[i]), SI_USER, STOP_GROUP,
			    stopping[i]);
		/* Before it stops for one, the task is about to get it. */
		assert_stop(STOPPED(stopping[i]), SI_USER, STOP_SIGNAL, stopping[i]);
	}
	assert_stop(EVENT(PTRACE_EVENT_STOP, SIGTRAP), SI_USER, STOP_HELD, SIGTRAP);
	assert_stop(EVENT(PTRACE_EVENT_STOP, SIGTRAP), SI_KERNEL, STOP_HELD, SIGTRAP);
}

static void events_are_told_by_their_number_whatever_the_si_code(void **state)
{
	static const int events[] = { PTRACE_EVENT_FORK,   PTRACE_EVENT_VFORK,
				      PTRACE_EVENT_CLONE,  PTRACE_EVENT_VFORK_DONE,
				      PTRACE_EVENT_EXEC,   PTRACE_EVENT_EXIT,
				      PTRACE_EVENT_SECCOMP };

	(void)state;
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		assert_stop(EVENT(events[i], SIGTRAP), SI_USER, STOP_PTRACE_EVENT, events[i]);
		assert_stop(EVENT(events[i], SIGTRAP), SI_KERNEL, STOP_PTRACE_EVENT, events[i]);
		assert_stop(EVENT(events[i], SIGTRAP), TRAP_TRACE, STOP_PTRACE_EVENT, events[i]);
	}
}

static void siginfo_is_asked_for_only_when_it_decides(void **state)
{
	(void)state;
	assert_true(stop_needs_siginfo(0x57f));
	assert_false(stop_needs_siginfo(STOPPED(SIGSEGV)));
	assert_false(stop_needs_siginfo(EVENT(PTRACE_EVENT_CLONE, SIGTRAP)));
	assert_false(stop_needs_siginfo(EVENT(PTRACE_EVENT_STOP, SIGTRAP)));
	assert_false(stop_needs_siginfo(EVENT(PTRACE_EVENT_STOP, SIGSTOP)));
	assert_false(stop_needs_siginfo(SIGTRAP));		/* killed by it */
	assert_false(stop_needs_siginfo(SIGTRAP << 8));		/* exited with 5 */
	assert_false(stop_needs_siginfo(SIGTRAP << 8 | SIGKILL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exit_tells_its_status),
		cmocka_unit_test(a_death_tells_its_signal_with_or_without_a_core),
		cmocka_unit_test(the_si_code_tells_a_trap_from_a_step_and_from_a_signal),
		cmocka_unit_test(the_si_code_of_a_trap_is_the_machines_own),
		cmocka_unit_test(every_other_signal_is_one_whatever_its_si_code),
		cmocka_unit_test(job_control_stops_are_told_from_held_tasks),
		cmocka_unit_test(events_are_told_by_their_number_whatever_the_si_code),
		cmocka_unit_test(siginfo_is_asked_for_only_when_it_decides),
	};

	return cmocka_run_group_tests_name("stop", tests, NULL, NULL);
}
