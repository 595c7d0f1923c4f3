/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "arch/machine.h"

#include <string.h>

enum { CX16 = 1 << 13, RDFSBASE = 1 << 1 };

static void the_agent_needs_a_swap_of_pairs_and_the_thread_pointer(void **state)
{
	const struct arch_machine all = { CX16, RDFSBASE }, no_swap = { ~(unsigned)CX16, RDFSBASE },
				  no_pointer = { CX16, ~(unsigned long)RDFSBASE };

	(void)state;
	assert_null(arch_machine_lacks(&all));
	assert_non_null(strstr(arch_machine_lacks(&no_swap), "cmpxchg16b"));
	assert_non_null(strstr(arch_machine_lacks(&no_pointer), "rdfsbase"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_agent_needs_a_swap_of_pairs_and_the_thread_pointer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
