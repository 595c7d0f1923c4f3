/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "naming/allocfn.h"

static void names_are_compared_as_a_whole(void **state)
{
	const char *const more[] = { "xmalloc", NULL };

	(void)state;
	assert_true(is_allocation_function("malloc", NULL));
	assert_true(is_allocation_function("operator new[](unsigned long, "
					   "std::align_val_t)", NULL));
	assert_false(is_allocation_function("operator new", NULL));
	assert_false(is_allocation_function("malloc2", NULL));
	assert_false(is_allocation_function("mallo", NULL));
	assert_false(is_allocation_function("free", NULL));
	assert_false(is_allocation_function("xmalloc", NULL));
	assert_true(is_allocation_function("xmalloc", more));
	assert_false(is_allocation_function("", more));
	assert_true(is_in_names("xmalloc", more));
	assert_false(is_in_names("malloc", more));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names_are_compared_as_a_whole) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
