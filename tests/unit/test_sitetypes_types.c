/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions about types, of programs that are compiled here: there is an answer for every type that
 * can be written. */
#include "unit/test_symbols_fixture.h"

#include "sitetypes/types.h"

#include <dwarf.h>

struct debug {
	int fd;
	Dwarf *dwarf;
	struct types types;
};

static void read_debug(struct fixture *x, struct debug *d, const char *name)
{
	*d = (struct debug){.fd = open(in_dir(x, name), O_RDONLY | O_CLOEXEC)};
	d->dwarf = dwarf_begin(d->fd, DWARF_C_READ);
	assert_non_null(d->dwarf);
}

static void release(struct debug *d)
{
	types_release(&d->types);
	dwarf_end(d->dwarf);
	close(d->fd);
}

/* The DIE of this name in the only unit there is. */
static Dwarf_Die named(struct debug *d, const char *name)
{
	Dwarf_Off next;
	size_t header;
	Dwarf_Die unit, die;

	assert_int_equal(dwarf_nextcu(d->dwarf, 0, &next, &header, NULL, NULL, NULL), 0);
	assert_non_null(dwarf_offdie(d->dwarf, header, &unit));
	assert_int_equal(dwarf_child(&unit, &die), 0);
	while (!dwarf_diename(&die) || strcmp(dwarf_diename(&die), name) != 0)
		assert_int_equal(dwarf_siblingof(&die, &die), 0);
	return die;
}

/* Each of seven unions has 64 of the next one: of what is innermost there are 64 to the seventh. */
static const char crowd[] =
	"#define F4(t, n) t n##0, n##1, n##2, n##3;\n"
	"#define F16(t, n) F4(t, n##0) F4(t, n##1) F4(t, n##2) F4(t, n##3)\n"
	"#define F64(t, n) F16(t, n##0) F16(t, n##1) F16(t, n##2) F16(t, n##3)\n"
	"struct no { int i; };\n"
	"union u7 { F64(struct no, m) };\n"
	"union u6 { F64(union u7, m) };\n"
	"union u5 { F64(union u6, m) };\n"
	"union u4 { F64(union u5, m) };\n"
	"union u3 { F64(union u4, m) };\n"
	"union u2 { F64(union u3, m) };\n"
	"union u1 { F64(union u2, m) };\n"
	"struct absent { int i; } a;\n"
	"union u1 u;\n";

static void unions_of_many_unions_are_given_up(void **state)
{
	struct fixture *x = *state;
	flow_type v[FLOW_TYPES_MAX];
	struct debug d;

	write_file(x, "t.c", crowd);
	sh(x, "gcc -g -shared -fPIC -nostdlib -o t t.c");
	read_debug(x, &d, "t");
	Dwarf_Die whole = named(&d, "u1"), absent = named(&d, "absent");
	assert_int_equal(types_members(&d.types, &whole, 0, v), 0);
	assert_int_equal(types_at(&d.types, types_number(&d.types, &whole), 0, v), 0);
	assert_false(types_begins_with(&whole, &absent));
	release(&d);
}

/* Up to the limit, members are found. */
static void members_of_members_are_found(void **state)
{
	struct fixture *x = *state;
	flow_type v[FLOW_TYPES_MAX];
	struct debug d;

	write_file(x, "t.c",
		   "struct part { int i; struct part *next; };\n"
		   "struct whole { struct part first; union { char *c; long *l; } u[3]; } w;\n");
	sh(x, "gcc -g -shared -fPIC -nostdlib -o t t.c");
	read_debug(x, &d, "t");
	Dwarf_Die whole = named(&d, "whole"), part = named(&d, "part");
	assert_int_equal(types_members(&d.types, &whole, 0, v), 0);
	assert_int_equal(types_members(&d.types, &whole, 8, v), 1);
	assert_int_equal(types_members(&d.types, &whole, 24, v), 2);
	assert_int_equal(types_members(&d.types, &whole, 40, v), 0);
	assert_true(types_begins_with(&whole, &part));
	assert_false(types_begins_with(&part, &whole));
	release(&d);
}

static void arrays_are_as_large_as_all_their_elements(void **state)
{
	static const struct {
		const char *name;
		uint64_t size;
	} sizes[] = {
		{"v", 3 * 4 * 8}, {"s", 24}, {"p", 8}, {"none", 0}, {"huge", UINT64_C(1) << 62}};
	struct fixture *x = *state;
	struct debug d;

	write_file(x, "t.c",
		   "typedef char part[1ul << 40];\n"
		   "extern part huge[1ul << 22];\n"
		   "long *v[3][4], *p, none[0]; struct { int i[6]; } s;\n"
		   "void *f(void) { return huge; }\n");
	sh(x, "gcc -g -shared -fPIC -nostdlib -o t t.c");
	read_debug(x, &d, "t");
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		Dwarf_Die die = named(&d, sizes[i].name);

		assert_int_equal(types_whole_size(&d.types, types_of(&d.types, &die)),
				 sizes[i].size);
	}
	assert_int_equal(types_whole_size(&d.types, 0), 0);
	release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(unions_of_many_unions_are_given_up, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(arrays_are_as_large_as_all_their_elements,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(members_of_members_are_found, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
