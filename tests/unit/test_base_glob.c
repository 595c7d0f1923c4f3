/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "base/glob.h"

static void without_a_star_it_is_the_whole_text(void **state)
{
	(void)state;
	assert_true(glob_matches("", ""));
	assert_true(glob_matches("malloc", "malloc"));
	assert_false(glob_matches("malloc", "malloc2"));
	assert_false(glob_matches("malloc", "mallo"));
	assert_false(glob_matches("", "x"));
	assert_false(glob_matches("x", ""));
	assert_true(glob_matches("a[b]?", "a[b]?"));
	assert_false(glob_matches("a[b]?", "abc"));
}

static void a_star_is_any_characters(void **state)
{
	(void)state;
	assert_true(glob_matches("*", ""));
	assert_true(glob_matches("*", "anything at all"));
	assert_true(glob_matches("x*", "xmalloc"));
	assert_false(glob_matches("x*", "malloc"));
	assert_true(glob_matches("*alloc", "xalloc_alloc"));
	assert_false(glob_matches("*alloc", "alloc_"));
	assert_true(glob_matches("a*b*c", "a__b_b__c"));
	assert_false(glob_matches("a*b*c", "a__c__b"));
	assert_true(glob_matches("std::vector<*>::push_back*",
				 "std::vector<int, std::allocator<int> >::push_back(int const&)"));
	assert_true(glob_matches("*/plugin*.so", "/opt/app/plugin-1.so"));
}

static void a_pointer_is_itself(void **state)
{
	(void)state;
	assert_true(glob_matches("f(char*)", "f(char*)"));
	assert_false(glob_matches("f(char*)", "f(char, int)"));
	assert_true(glob_matches("list<int*>::add", "list<int*>::add"));
	assert_false(glob_matches("list<int*>::add", "list<int>::add"));
	assert_true(glob_matches("f(char**)", "f(char**)"));
	assert_true(glob_matches("f(*)", "f(char, int)"));
	assert_true(glob_matches("f(char*, *)", "f(char*, long)"));
	assert_true(glob_matches("f(char*", "f(char const*)"));
}

/* A pattern of stars takes no longer than the product of both lengths. */
static void many_stars_are_no_trap(void **state)
{
	char pattern[200], text[2000];

	(void)state;
	for (size_t i = 0; i + 1 < sizeof pattern; i++)
		pattern[i] = i % 2 ? '*' : 'a';
	pattern[sizeof pattern - 1] = '\0';
	for (size_t i = 0; i + 1 < sizeof text; i++)
		text[i] = 'a';
	text[sizeof text - 2] = 'b';
	text[sizeof text - 1] = '\0';
	pattern[sizeof pattern - 2] = 'c';
	assert_false(glob_matches(pattern, text));
}

static void patterns_of_suppressions_are_found_anywhere(void **state)
{
	(void)state;
	assert_true(glob_finds("alloc", "xalloc_alloc"));
	assert_true(glob_finds("", "x"));
	assert_false(glob_finds("allocate", "xalloc_alloc"));
	assert_true(glob_finds("^x", "xalloc"));
	assert_false(glob_finds("^alloc", "xalloc"));
	assert_true(glob_finds("alloc$", "alloc_alloc"));
	assert_false(glob_finds("alloc$", "alloc_"));
	assert_true(glob_finds("^alloc$", "alloc"));
	assert_false(glob_finds("^alloc$", "alloc_alloc"));
	assert_true(glob_finds("^a*b*c$", "a__b_b__c"));
	assert_false(glob_finds("^a*b*c$", "a__b_b__c_"));
	assert_true(glob_finds("a*b", "__a__b__"));
	assert_false(glob_finds("a*b", "__b__a__"));
	assert_true(glob_finds("^*$", ""));
	assert_false(glob_finds("x", ""));
	/* A * is any characters there, whatever is in front. */
	assert_true(glob_finds("^f(char*)$", "f(char, int)"));
	assert_true(glob_finds("a$b", "a$b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_star_it_is_the_whole_text),
		cmocka_unit_test(a_star_is_any_characters),
		cmocka_unit_test(a_pointer_is_itself),
		cmocka_unit_test(many_stars_are_no_trap),
		cmocka_unit_test(patterns_of_suppressions_are_found_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
