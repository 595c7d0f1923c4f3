/* SPDX-License-Identifier: BSD-2-Clause */
/* Which system calls wait for a child that runs in the caller's memory. */
#include "unit/unit.h"

#include "attach/vfork.h"

#include <linux/sched.h>
#include <sys/syscall.h>

static bool waits(long number, uint64_t first, uint64_t flags)
{
	return vfork_is_call(&(struct proc_syscall){ .number = number, .args = { first } }, flags);
}

static void vfork_waits(void **state)
{
	(void)state;
	assert_true(waits(SYS_vfork, 0, 0));
	assert_false(waits(SYS_fork, 0, 0));
}

/* With the flags of posix_spawn(3). */
static void a_clone_waits_if_its_flags_say_so(void **state)
{
	(void)state;
	assert_true(waits(SYS_clone, CLONE_VM | CLONE_VFORK | 17, 0));
	assert_false(waits(SYS_clone, CLONE_VM | CLONE_THREAD, 0));
}

/* The child has a copy of the memory and is not ours; its parent can be asked again soon. */
static void who_waits_for_a_child_in_a_memory_of_its_own_is_not_meant(void **state)
{
	(void)state;
	assert_false(waits(SYS_clone, CLONE_VFORK | 17, 0));
}

static void the_flags_of_clone3_are_in_memory(void **state)
{
	(void)state;
	assert_true(waits(SYS_clone3, 0x7ffd22913b78, CLONE_VM | CLONE_VFORK));
	assert_false(waits(SYS_clone3, CLONE_VM | CLONE_VFORK, CLONE_VM | CLONE_THREAD));
	assert_false(waits(SYS_clone3, CLONE_VM | CLONE_VFORK, 0));
}

static void no_other_call_does(void **state)
{
	(void)state;
	assert_false(waits(-1, CLONE_VM | CLONE_VFORK, CLONE_VM | CLONE_VFORK));
	assert_false(waits(SYS_read, CLONE_VM | CLONE_VFORK, CLONE_VM | CLONE_VFORK));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vfork_waits),
		cmocka_unit_test(a_clone_waits_if_its_flags_say_so),
		cmocka_unit_test(who_waits_for_a_child_in_a_memory_of_its_own_is_not_meant),
		cmocka_unit_test(the_flags_of_clone3_are_in_memory),
		cmocka_unit_test(no_other_call_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
