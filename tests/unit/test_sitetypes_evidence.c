/* SPDX-License-Identifier: BSD-2-Clause */
/* The evidence for return addresses, in small programs that are compiled here; and in some whose
 * debug data no compiler writes. */
#include "unit/test_symbols_fixture.h"

#include "sitetypes/choose.h"
#include "sitetypes/evidence.h"

/* What is said of the only call in f(), which @lines has. */
static void ask_by(struct fixture *x, const char *compiler, const char *lines, const char *edit,
		   struct site_evidence *e)
{
	static unsigned turn;
	char name[16];

	write_file(x, "t.c", lines);
	snprintf(name, sizeof name, "t%u", turn++);
	/* A label behind the call is the return address. */
	sh(x,
	   "%s -gdwarf-5 -O0 -fPIC -fno-stack-protector -fcf-protection=none -S t.c && "
	   "sed -i -e '/call.*malloc/a back:' -e '%s' t.s && "
	   "gcc -shared -nostdlib -o %s t.s",
	   compiler, edit, name);
	struct evidence *v = evidence_new(x->s);
	assert_non_null(v);
	assert_int_equal(evidence_at(v, load(x, name), nm(x, name, "back"), e), 0);
	evidence_free(v);
}

static void ask(struct fixture *x, const char *lines, const char *edit, struct site_evidence *e)
{
	ask_by(x, "gcc", lines, edit, e);
}

#define BEGIN	   "void *malloc(unsigned long);\n"
#define F(type)	   BEGIN "void *f(void) { " type " *v = malloc(100); return v; }\n"
#define TYPE_FIRST BEGIN "struct s { int i; } *g;\nvoid *f(void) { struct s *v = malloc(4); "
#define STRUCTURE  BEGIN "struct s { int i; };\nvoid *f(void) { struct s *v = malloc(4); "

static void only_blocks_of_types_of_one_size_are_arrays(void **state)
{
	static const struct {
		const char *lines, *name;
		bool is_array;
	} types[] = {
		{F("char"), "bytes", false},	 {F("unsigned char"), "bytes", false},
		{F("_Bool"), "_Bool", true},	 {F("struct one { char c; }"), "struct one", true},
		{F("short"), "short int", true},
		/* What is behind it may be more of its last member. */
		{F("struct msg { int n; int i[]; }"), "struct msg", false},
		{F("struct old { short n; short i[1]; }"), "struct old", false},
		{F("struct out { struct { short n, i[0]; } in; }"), "struct out", false},
		{F("struct fix { short n; char i[2]; }"), "struct fix", true},
	};
	const uint64_t size = 100;

	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		struct site_evidence e;

		ask(*state, types[i].lines, "", &e);
		assert_int_equal(e.n, 1);
		assert_string_equal(e.v[0].name, types[i].name);
		assert_int_equal(site_is_array(&e.v[0], &size, 1), types[i].is_array);
		site_evidence_release(&e);
	}
}

#define HIDDEN "__attribute__((visibility(\"hidden\"))) "
#define OBJECT(name, size)                                                                         \
	"asm(\".data\\n.type " name ",@object\\n.size " name "," size "\\n" name ":.zero " size    \
	"\\n.text\");\n"

/* By the variable's own debug data, or by its declaration and its symbol. */
static void what_global_variables_get_has_their_type(void **state)
{
	static const struct {
		const char *lines, *name;
	} programs[] = {
		{HIDDEN "struct s *g;\nvoid f(void) { g = malloc(4); }\n", "struct s"},
		{HIDDEN "struct s *g[3][4];\nvoid f(void) { g[2][3] = malloc(4); }\n", "struct s"},
		{HIDDEN "struct { long n; struct s *v; } g;\nvoid f(void) { g.v = malloc(4); }\n",
		 "struct s"},
		{HIDDEN "struct s *g[2]; " HIDDEN "short *h;\nvoid f(void) { h = malloc(4); }\n",
		 "short int"},
		{HIDDEN "extern struct s *g;\nvoid f(void) { g = malloc(4); }\n" OBJECT("g", "8"),
		 "struct s"},
		{HIDDEN "extern struct s *g[5];\n" HIDDEN "extern short *a, *z;\n"
			"void f(void) { g[4] = malloc(4); a = z; }\n" OBJECT("g", "40")
				OBJECT("a", "8") OBJECT("z", "8"),
		 "struct s"},
		/* Which is declared with fewer. */
		{HIDDEN "extern struct s *g[1];\n"
			"void f(void) { g[4] = malloc(4); }\n" OBJECT("g", "40"),
		 NULL},
	};

	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		struct site_evidence e;
		char lines[1024];

		snprintf(lines, sizeof lines, BEGIN "struct s { int i; };\n%s", programs[i].lines);
		ask(*state, lines, "", &e);
		if (e.n != (programs[i].name != NULL))
			fail_msg("%u candidates of %s", e.n, lines);
		if (programs[i].name)
			assert_string_equal(e.v[0].name, programs[i].name);
		site_evidence_release(&e);
	}
}

/* The code is not optimized: of its parameters nothing but the order is known. */
static void parameters_are_told_by_their_order_where_it_is_that_of_registers(void **state)
{
	static const struct {
		const char *lines, *name;
	} programs[] = {
		{"void g(struct s *a, short *b) { }\n"
		 "void f(void) { g(malloc(4), 0); }\n",
		 "struct s"},
		{"void g(enum e n, short *a, struct s *b) { }\n"
		 "void f(void) { g(0, 0, malloc(4)); }\n",
		 "struct s"},
		{"double g(struct s *a, short *b) { return 0; }\n"
		 "void f(void) { g(malloc(4), 0); }\n",
		 "struct s"},
		/* The first register has the address of what is returned. */
		{"struct l g(short *a, int *b) { return (struct l){{0}}; }\n"
		 "void f(void) { g(malloc(4), 0); }\n",
		 NULL},
		/* Two registers. */
		{"void g(__int128 n, struct s *a, short *b) { }\n"
		 "void f(void) { g(0, malloc(4), 0); }\n",
		 NULL},
		/* None of these. */
		{"void g(_Complex double n, struct s *a, short *b) { }\n"
		 "void f(void) { g(0, malloc(4), 0); }\n",
		 NULL},
		{"void g(_Decimal64 n, struct s *a, short *b) { }\n"
		 "void f(void) { g(0, malloc(4), 0); }\n",
		 NULL},
	};

	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		struct site_evidence e;
		char lines[1024];

		snprintf(lines, sizeof lines,
			 BEGIN "struct s { int i; };\nstruct l { long v[4]; };\n"
			       "enum e { E };\nstatic %s",
			 programs[i].lines);
		ask(*state, lines, "", &e);
		if (e.n != (programs[i].name != NULL))
			fail_msg("%u candidates of %s", e.n, lines);
		if (programs[i].name)
			assert_string_equal(e.v[0].name, programs[i].name);
		site_evidence_release(&e);
	}
}

/* Debug data tells places in a frame from its base: the CFA, or what is in a register. */
static void variables_are_found_whatever_the_base_of_their_frame_is(void **state)
{
	static const char *const compilers[] = {"gcc", "gcc -fomit-frame-pointer",
						"clang -fno-addrsig",
						"clang -fno-addrsig -fomit-frame-pointer"};

	for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
		struct site_evidence e;

		ask_by(*state, compilers[i], STRUCTURE "return v; }\n", "", &e);
		if (e.n != 1)
			fail_msg("%u candidates by %s", e.n, compilers[i]);
		assert_string_equal(e.v[0].name, "struct s");
		site_evidence_release(&e);
	}
}

/* Sums that overflow: the sanitizers would notice. */
static void a_variable_at_no_address_is_nowhere(void **state)
{
	struct site_evidence e;

	ask(*state, STRUCTURE "return v; }\n", "", &e);
	assert_int_equal(e.n, 1);
	assert_string_equal(e.v[0].name, "struct s");
	site_evidence_release(&e);
	/* DW_OP_fbreg, and as much as there is. It is longer, so that the unit is, too; what it
	 * refers to stands in front of it. */
	ask(*state, TYPE_FIRST "return v; }\n",
	    "/uleb128 0x2$/{N;N;s/.*0x91\\n.*sleb128 -24/"
	    ".byte 11, 0x91, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0/}' "
	    "-e '/^.Ldebug_info0:/{n;s/.*/.long .Lend-.-4/}' "
	    "-e '/section.*debug_abbrev/i .Lend:",
	    &e);
	assert_int_equal(e.n, 0);
	site_evidence_release(&e);
	/* The frame: DW_OP_breg6 and as much as there is, and DW_OP_plus_uconst 1. */
	ask(*state, STRUCTURE "return v; }\n",
	    "/call.*malloc/a "
	    ".cfi_escape 0xf, 13, 0x76, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0x23, 1",
	    &e);
	assert_int_equal(e.n, 0);
	site_evidence_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			only_blocks_of_types_of_one_size_are_arrays, fixture_setup,
			fixture_teardown),
		cmocka_unit_test_setup_teardown(what_global_variables_get_has_their_type,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			parameters_are_told_by_their_order_where_it_is_that_of_registers,
			fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			variables_are_found_whatever_the_base_of_their_frame_is, fixture_setup,
			fixture_teardown),
		cmocka_unit_test_setup_teardown(a_variable_at_no_address_is_nowhere, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
