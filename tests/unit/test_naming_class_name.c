/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of make_shared are printed with the class that was asked for. */
#include "unit/unit.h"

#include "naming/class_name.h"

#include <string.h>

static void shown(const char *name, const char *as)
{
	char text[256];

	class_name(name, text, sizeof text);
	assert_string_equal(text, as);
}

static void test_make_shared(void **state)
{
	(void)state;
	shown("Circle", "Circle");
	shown("std::_Sp_counted_ptr_inplace<Square, std::allocator<void>, "
	      "(__gnu_cxx::_Lock_policy)2>",
	      "Square (make_shared)");
	shown("std::_Sp_counted_ptr_inplace<a::Grid<int, 4>, std::allocator<a::Grid<int, 4> >, "
	      "(__gnu_cxx::_Lock_policy)2>",
	      "a::Grid<int, 4> (make_shared)");
	shown("std::_Sp_counted_ptr_inplace<f(int, char)::L, std::allocator<void>, 2>",
	      "f(int, char)::L (make_shared)");
	shown("std::_Sp_counted_ptr_inplace<A<&(B::operator->())>, std::allocator<void>, 2>",
	      "A<&(B::operator->())> (make_shared)");
	shown("std::__1::__shared_ptr_emplace<Square, std::__1::allocator<Square> >",
	      "Square (make_shared)");
	shown("std::_Sp_counted_ptr<Square*, (__gnu_cxx::_Lock_policy)2>",
	      "std::_Sp_counted_ptr<Square*, (__gnu_cxx::_Lock_policy)2>");
}

static void test_what_has_no_end_stays(void **state)
{
	(void)state;
	shown("std::_Sp_counted_ptr_inplace<", "std::_Sp_counted_ptr_inplace<");
	shown("std::_Sp_counted_ptr_inplace<A<B", "std::_Sp_counted_ptr_inplace<A<B");
	shown("", "");
}

static void test_as_much_as_fits(void **state)
{
	(void)state;
	char text[8];

	class_name("std::_Sp_counted_ptr_inplace<Square, int>", text, sizeof text);
	assert_string_equal(text, "Square ");
	class_name("Rectangle", text, sizeof text);
	assert_string_equal(text, "Rectang");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_make_shared),
		cmocka_unit_test(test_what_has_no_end_stays),
		cmocka_unit_test(test_as_much_as_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
