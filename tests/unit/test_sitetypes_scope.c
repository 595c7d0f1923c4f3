/* SPDX-License-Identifier: BSD-2-Clause */
/* The variables of a function, from debug data that no compiler writes. */
#include "unit/test_symbols_fixture.h"

#include "sitetypes/scope.h"

#include <dwarf.h>

/*
 * A function with N variables that have the same list of N places, and one behind them that is at
 * an address. Each place is that of a computed value, which is none. Source: DWARF 4, 2.6.2 and
 * 7.5.
 */
static const char listed[] =
	"	.text\n"
	"f:	.zero 64\n"
	"	.section .debug_abbrev\n"
	"	.byte 1, 0x11, 1,  3, 8,  0x11, 1,  0x12, 7,  0, 0\n"
	"	.byte 2, 0x2e, 1,  3, 8,  0x11, 1,  0x12, 7,  0, 0\n"
	"	.byte 3, 0x34, 0,  2, 0x17,  0x49, 0x13,  0, 0\n"
	"	.byte 4, 0x34, 0,  2, 0x18,  0x49, 0x13,  0, 0\n"
	"	.byte 5, 0x24, 0,  3, 8,  0x0b, 0x0b,  0x3e, 0x0b,  0, 0,  0\n"
	"	.section .debug_loc\n"
	"	.rept N\n"
	"	.quad 0, 16\n"
	"	.short 2\n"
	"	.byte 0x30, 0x9f\n"
	"	.endr\n"
	"	.quad 0, 0\n"
	"	.section .debug_info\n"
	"unit:	.long end - version\n"
	"version: .short 4\n"
	"	.long 0\n"
	"	.byte 8\n"
	"	.byte 1\n"
	"	.asciz \"t\"\n"
	"	.quad f, 64\n"
	"type:	.byte 5\n"
	"	.asciz \"int\"\n"
	"	.byte 4, 5\n"
	"	.byte 2\n"
	"	.asciz \"f\"\n"
	"	.quad f, 64\n"
	"	.rept N\n"
	"	.byte 3\n"
	"	.long 0, type - unit\n"
	"	.endr\n"
	"	.byte 4, 9, 3\n"
	"	.quad f\n"
	"	.long type - unit\n"
	"	.byte 0, 0\n"
	"end:\n";

/* How many places of its function's variables are known. */
static size_t spots_of(struct fixture *x, unsigned n)
{
	Dwarf_Off next;
	size_t header;
	Dwarf_Die unit;
	struct func f = {0};
	struct types t = {0};
	struct scope s;
	char name[32];

	snprintf(name, sizeof name, "t%u", n);
	write_file(x, "t.s", listed);
	sh(x, "as --defsym N=%u t.s -o t.o && ld -shared t.o -o %s", n, name);
	int fd = open(in_dir(x, name), O_RDONLY | O_CLOEXEC);
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	assert_non_null(dwarf);
	assert_int_equal(dwarf_nextcu(dwarf, 0, &next, &header, NULL, NULL, NULL), 0);
	assert_non_null(dwarf_offdie(dwarf, header, &unit));
	assert_int_equal(dwarf_child(&unit, &f.die), 0);
	assert_int_equal(dwarf_siblingof(&f.die, &f.die), 0);
	assert_int_equal(dwarf_tag(&f.die), DW_TAG_subprogram);
	assert_int_equal(scope_read(&s, &t, &f), 0);
	size_t found = s.n;
	scope_release(&s);
	types_release(&t);
	dwarf_end(dwarf);
	close(fd);
	return found;
}

static void lists_that_many_variables_share_are_given_up(void **state)
{
	struct fixture *x = *state;

	assert_int_equal(spots_of(x, 10), 1);
	/* Of four million places not all are looked at, and so the last one is not found. */
	assert_int_equal(spots_of(x, 2000), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lists_that_many_variables_share_are_given_up,
						fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
