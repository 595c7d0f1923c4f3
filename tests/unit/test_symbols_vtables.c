/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose vtable is at an address, by symbols: of a program, and of a file in which all symbols
 * contain all addresses. */
#include "unit/test_symbols_fixture.h"

#include "symbols/vtables.h"

static void a_vtable_has_its_symbols_name(void **state)
{
	struct fixture *x = *state;

	write_file(x, "t.s",
		   "	.data\n"
		   "	.globl _ZTV6Circle, _ZTVN3geo6SquareE, other\n"
		   "	.type _ZTV6Circle, @object\n"
		   "	.size _ZTV6Circle, 32\n"
		   "_ZTV6Circle: .zero 32\n"
		   "	.type _ZTVN3geo6SquareE, @object\n"
		   "	.size _ZTVN3geo6SquareE, 32\n"
		   "_ZTVN3geo6SquareE: .zero 32\n"
		   "	.type other, @object\n"
		   "	.size other, 32\n"
		   "other: .zero 32\n");
	sh(x, "as t.s -o t.o && ld -shared t.o -o t");
	const uint64_t circle = nm(x, "t", "_ZTV6Circle");
	struct sym_vtable v[] = {
		/* Of which an object never begins with the first. */
		{.at = circle},	     {.at = circle + 16}, {.at = circle + 24},
		{.at = circle + 48}, {.at = circle + 80}, {.at = circle + 96},
	};
	assert_int_equal(symbols_vtables(x->s, load(x, "t"), v, sizeof v / sizeof *v), 0);
	assert_null(v[0].name);
	assert_string_equal(v[1].name, "Circle");
	assert_string_equal(v[2].name, "Circle");
	assert_string_equal(v[3].name, "geo::Square");
	assert_null(v[4].name);
	assert_true(v[4].other);
	assert_null(v[5].name);
	assert_false(v[5].other);
}

/* All get their name from the first symbol; the last ones are not reached. */
static void symbols_that_have_all_addresses_are_given_up(void **state)
{
	enum { N = 6000 };
	struct fixture *x = *state;
	struct sym_vtable *v = calloc(N + 1, sizeof *v);

	assert_non_null(v);
	write_file(x, "t.s",
		   "	.altmacro\n"
		   "	.macro vtable name, at\n"
		   "	.type _ZTV\\name, @object\n"
		   "	.size _ZTV\\name, 16 + 8 * 6000\n"
		   "	.set _ZTV\\name, \\at\n"
		   "	.endm\n"
		   "	.data\n"
		   "begin:	.zero 200000\n"
		   "	vtable 6Circle, begin\n"
		   "	.set i, 0\n"
		   "	.rept 6000\n"
		   "	vtable %i, begin\n"
		   "	.set i, i + 1\n"
		   "	.endr\n"
		   "	vtable 6Square, begin+48000\n");
	sh(x, "as t.s -o t.o && ld -shared t.o -o t");
	const int m = load(x, "t");
	const uint64_t begin = nm(x, "t", "_ZTV6Circle");
	for (size_t i = 0; i <= N; i++)
		v[i].at = begin + 16 + 8 * i;
	assert_int_equal(symbols_vtables(x->s, m, v, N + 1), 0);
	for (size_t i = 0; i < N; i++)
		assert_string_equal(v[i].name, "Circle");
	assert_null(v[N].name);
	/* What is not too much is looked at to the end. */
	assert_int_equal(symbols_vtables(x->s, m, v + N - 100, 101), 0);
	assert_string_equal(v[N].name, "Square");
	free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_vtable_has_its_symbols_name, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(symbols_that_have_all_addresses_are_given_up,
						fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
