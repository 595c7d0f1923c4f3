/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "fast/addresses.h"

#include <sys/resource.h>

static void they_are_few_if_less_is_left_than_is_ours(void **state)
{
	const uint64_t mib = 1 << 20;

	(void)state;
	assert_false(addresses_are_few(RLIM_INFINITY, 1000 * mib, 180 * mib));
	assert_false(addresses_are_few(1000 * mib, 820 * mib, 180 * mib));
	assert_true(addresses_are_few(1000 * mib, 820 * mib + 1, 180 * mib));
	/* Set below what is in use. */
	assert_true(addresses_are_few(100 * mib, 185 * mib, 180 * mib));
	assert_true(addresses_are_few(0, 185 * mib, 180 * mib));
	/* It has ended. */
	assert_false(addresses_are_few(100 * mib, 0, 180 * mib));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_few_if_less_is_left_than_is_ours),
	};

	return cmocka_run_group_tests_name("fast/addresses", tests, NULL, NULL);
}
