/* SPDX-License-Identifier: BSD-2-Clause */
/* Which local functions of a static program are what their names say. */
#include "unit/unit.h"
#include "probes/locals.h"

#include <errno.h>

enum { MALLOC, CALLOC, DEFINITIONS, MOST = 3 };

static void add(struct locals *l, uint32_t number)
{
	assert_int_equal(locals_add(l, &(GElf_Sym){ 0 }, number, MOST), 0);
}

static void what_a_source_file_keeps_to_itself_does_not_count(void **state)
{
	struct locals l = { 0 };

	(void)state;
	locals_file(&l, "own.c");
	add(&l, CALLOC);
	locals_file(&l, NULL);
	add(&l, MALLOC);
	assert_false(locals_counts(&l, 0));
	assert_true(locals_counts(&l, 1));
	locals_release(&l);
}

static void where_the_linker_does_not_say_what_it_has_made_local_all_count(void **state)
{
	struct locals l = { 0 };

	(void)state;
	add(&l, MALLOC);
	locals_file(&l, "own.c");
	add(&l, CALLOC);
	assert_true(locals_counts(&l, 0));
	assert_true(locals_counts(&l, 1));
	locals_release(&l);
}

static void a_global_function_is_the_one_of_its_name(void **state)
{
	struct locals l = { 0 };

	(void)state;
	locals_file(&l, "");
	add(&l, MALLOC);
	add(&l, CALLOC);
	assert_int_equal(locals_global(&l, CALLOC, DEFINITIONS), 0);
	assert_true(locals_counts(&l, 0));
	assert_false(locals_counts(&l, 1));
	locals_release(&l);
}

static void more_than_asked_for_are_left_out(void **state)
{
	struct locals l = { 0 };

	(void)state;
	for (int i = 0; i < MOST; i++)
		add(&l, MALLOC);
	assert_int_equal(locals_add(&l, &(GElf_Sym){ 0 }, MALLOC, MOST), -ENOSPC);
	locals_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_source_file_keeps_to_itself_does_not_count),
		cmocka_unit_test(where_the_linker_does_not_say_what_it_has_made_local_all_count),
		cmocka_unit_test(a_global_function_is_the_one_of_its_name),
		cmocka_unit_test(more_than_asked_for_are_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
