/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a program's system calls can be made, and by whom. */
#include "unit/unit.h"

#include "arch/arch.h"
#include "attach/tracer_internal.h"

#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* We have a vdso as any program has. */
static void an_instruction_that_makes_calls_is_found_in_any_program(void **state)
{
	struct address_space *s = address_space_new(getpid());
	uint8_t code[16];

	(void)state;
	assert_non_null(s);
	taddr at = tracer_syscall_insn(s, getpid());

	assert_int_not_equal(at, 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_instruction_that_makes_calls_is_found_in_any_program),
		cmocka_unit_test(who_is_held_may_make_calls_and_who_has_a_signal_may_not),
		cmocka_unit_test(who_is_about_to_end_makes_no_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
