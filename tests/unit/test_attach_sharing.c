/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether two tasks share memory, where kcmp(2) cannot be asked. */
#include "unit/unit.h"

#include "attach/sharing.h"

#include <linux/sched.h>
#include <sys/syscall.h>

static bool shares(long number, uint64_t first, uint64_t flags, bool vforks)
{
	return sharing_by_call(&(struct proc_syscall){ .number = number, .args = { first } }, flags,
			       vforks);
}

static void the_flags_of_clone_decide(void **state)
{
	(void)state;
	assert_true(shares(SYS_clone, CLONE_VM | 17, 0, false));
	assert_false(shares(SYS_clone, CLONE_VFORK | 17, 0, true));
}

static void those_of_clone3_are_in_memory(void **state)
{
	(void)state;
	assert_true(shares(SYS_clone3, 0x7ffd22913b78, CLONE_VM, false));
	assert_false(shares(SYS_clone3, CLONE_VM, CLONE_VFORK, true));
}

static void where_the_call_does_not_tell_the_event_decides(void **state)
{
	(void)state;
	assert_true(shares(SYS_clone3, CLONE_VM, 0, true));
	assert_false(shares(SYS_clone3, CLONE_VM, 0, false));
	assert_true(shares(SYS_vfork, 0, 0, true));
	assert_false(shares(SYS_fork, 0, 0, false));
	assert_true(shares(-1, 0, 0, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_flags_of_clone_decide),
		cmocka_unit_test(those_of_clone3_are_in_memory),
		cmocka_unit_test(where_the_call_does_not_tell_the_event_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
