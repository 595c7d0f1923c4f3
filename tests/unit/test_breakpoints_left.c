/* SPDX-License-Identifier: BSD-2-Clause */
/* The messages about functions that are left to traps. */
#include "unit/unit.h"

#include "breakpoints/left.h"

#include <string.h>

static const char *sentence(const struct left_function *v, size_t n)
{
	static struct error e;

	left_sentence(v, n, &e);
	return e.text;
}

static void one_is_named_with_its_reason(void **state)
{
	const struct left_function v[] = { { .name = "xallocx", .why = "resizing in place" } };

	(void)state;
	assert_string_equal(sentence(v, 1), "has 1 function that is watched by traps: "
					    "xallocx (resizing in place)");
}

static void those_with_one_reason_are_named_together(void **state)
{
	const struct left_function v[] = {
		{ .name = "a", .why = "one" }, { .name = "b", .why = "other" },
		{ .name = "c", .why = "one" },
	};

	(void)state;
	assert_string_equal(sentence(v, 3),
			    "has 3 functions that are watched by traps: a, c (one), b (other)");
}

static void operators_are_called_as_in_the_source(void **state)
{
	const struct left_function v[] = { { .name = "_ZdlPvmSt11align_val_t", .why = "why" },
					   { .name = "_Znwm", .why = "why" } };

	(void)state;
	assert_string_equal(sentence(v, 2), "has 2 functions that are watched by traps: operator "
					    "delete(void*, unsigned long, std::align_val_t), "
					    "operator new(unsigned long) (why)");
}

static void of_many_the_first_four_are_named(void **state)
{
	struct left_function v[6];

	(void)state;
	for (size_t i = 0; i < 6; i++)
		v[i] = (struct left_function){ .name = &"f\0e\0d\0c\0b\0a"[2 * i], .why = "why" };
	assert_string_equal(sentence(v, 5), "has 5 functions that are watched by traps: "
					    "f, e, d, c and 1 other (why)");
	assert_string_equal(sentence(v, 6), "has 6 functions that are watched by traps: "
					    "f, e, d, c and 2 others (why)");
}

static void what_is_too_long_is_cut(void **state)
{
	static char name[2000];
	const struct left_function v[] = { { .name = name, .why = "why" } };

	(void)state;
	memset(name, 'n', sizeof name - 1);
	assert_ptr_equal(strstr(sentence(v, 1), "has 1 function that is watched by traps: nnn"),
			 sentence(v, 1));
	assert_in_range(strlen(sentence(v, 1)), 900, 1023);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_is_named_with_its_reason),
		cmocka_unit_test(those_with_one_reason_are_named_together),
		cmocka_unit_test(operators_are_called_as_in_the_source),
		cmocka_unit_test(of_many_the_first_four_are_named),
		cmocka_unit_test(what_is_too_long_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
