/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/test_symbols_fixture.h"

static bool want_all(uint64_t size, void *ctx)
{
	(void)size, (void)ctx;
	return true;
}

static bool want_one(uint64_t size, void *ctx)
{
	return size == *(uint64_t *)ctx;
}

/* All types from @from to @to bytes as "size name;size name;". */
static char *list(struct fixture *x, int module, uint64_t from, uint64_t to)
{
	static char text[16384];
	struct sym_type *v;
	size_t n, len = 0;

	assert_int_equal(symbols_types(x->s, module, want_all, NULL, &v, &n), 0);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		if (i && v[i].size == v[i - 1].size)
			assert_true(strcmp(v[i - 1].name, v[i].name) < 0);
		else if (i)
			assert_true(v[i - 1].size < v[i].size);
		if (v[i].size >= from && v[i].size <= to && len < sizeof text)
			len += (size_t)snprintf(text + len, sizeof text - len, "%llu %s;",
						(unsigned long long)v[i].size, v[i].name);
	}
	free(v);
	return text;
}

/* take(&x) keeps compilers from dropping the type of x. */
#define USE "void take(void *p);\n"
#define TAKE "volatile int sink; void take(void *p) { sink = p != 0; }\n"

static const char c_types[] =
	USE TAKE
	"struct plain { char c[101]; };\n"
	"union uni { long l[14]; char c[109]; };\n"
	"typedef struct tagged { char c[113]; } tagged_t;\n"
	"typedef struct twin_a { char c[114]; } twin_a;\n"
	"typedef struct { char c[115]; } anon_t;\n"
	"typedef const anon_t const_t; typedef volatile const_t both_t;\n"
	"typedef anon_t *pointer_t; typedef anon_t array_t[1]; typedef int int_t;\n"
	"typedef union { char c[116]; } anon_union;\n"
	"struct outer { struct inner { char c[117]; } i; struct { char c[11]; } nameless; };\n"
	"struct { char c[119]; } variable_of_nameless_type;\n"
	"enum number { ONE };\n"
	"struct never_defined; struct never_defined *pointer_only;\n"
	"typedef struct tagged again_t;\n"
	"int main(void)\n"
	"{\n"
	"	struct local { char c[120]; } l;\n"
	"	typedef struct { char c[121]; } local_t;\n"
	"	{ struct deeper { char c[122]; } d; take(&d); }\n"
	"	struct plain p; union uni u; tagged_t t; twin_a w; anon_t a; both_t *b; pointer_t "
	"ap;\n"
	"	array_t aa; int_t i; anon_union au; struct outer o; local_t lt; again_t ag; enum "
	"number n;\n"
	"	take(&l); take(&p); take(&u); take(&t); take(&w); take(&a); take(&b); take(&ap); "
	"take(&aa);\n"
	"	take(&i); take(&au); take(&o); take(&lt); take(&ag); take(&n); "
	"take(pointer_only);\n"
	"	take(&variable_of_nameless_type);\n"
	"	return 0;\n"
	"}\n";

static const char c_list[] = "101 plain;112 uni;113 again_t;113 tagged_t;114 twin_a;115 anon_t;115 "
			     "both_t;115 const_t;116 anon_union;117 inner;120 local;121 "
			     "local_t;122 deeper;128 outer;";

static void check_c(struct fixture *x, const char *compiler)
{
	write_file(x, "t.c", c_types);
	sh(x, "%s t.c -o t", compiler);
	assert_string_equal(list(x, load(x, "t"), 0, 1000), c_list);
}

static void structures_unions_and_their_typedefs_are_listed(void **state)
{
	check_c(*state, "gcc -gdwarf-5");
}

static void the_same_with_dwarf4(void **state)
{
	check_c(*state, "gcc -gdwarf-4");
}

static void the_same_with_type_units(void **state)
{
	check_c(*state, "gcc -gdwarf-4 -fdebug-types-section");
}

static void the_same_with_type_units_of_dwarf5(void **state)
{
	check_c(*state, "gcc -gdwarf-5 -fdebug-types-section");
}

static void the_same_with_split_dwarf(void **state)
{
	check_c(*state, "gcc -g -gsplit-dwarf");
}

static void the_same_with_clang(void **state)
{
	if (!have("clang"))
		skip();
	check_c(*state, "clang -gdwarf-4");
	check_c(*state, "clang -gdwarf-5");
}

static void the_same_in_a_separate_debug_file(void **state)
{
	struct fixture *x = *state;

	check_c(x, "gcc -g");
	sh(x, "objcopy --only-keep-debug t t.debug && strip t && objcopy "
	      "--add-gnu-debuglink=t.debug t");
	assert_string_equal(list(x, load(x, "t"), 0, 1000), c_list);
}

static void the_same_with_dwz(void **state)
{
	struct fixture *x = *state;

	if (!have("dwz"))
		skip();
	check_c(x, "gcc -gdwarf-4");
	sh(x, "cp t t2 && dwz -m common -r t t2");
	assert_string_equal(list(x, load(x, "t"), 0, 1000), c_list);
}

/* As dwz makes them: the first partial unit is imported, the second is there for another
 * program. */
static const char partial_units[] =
	"	.section .debug_abbrev,\"\",@progbits\n"
	"	.uleb128 1, 0x11\n	.byte 1\n	.uleb128 0x13, 0x0b, 0, "
	"0\n" /* compile_unit: language */
	"	.uleb128 2, 0x3c\n	.byte 1\n	.uleb128 0, "
	"0\n" /* partial_unit */
	"	.uleb128 3, 0x3d\n	.byte 0\n	.uleb128 0x18, 0x10, 0, "
	"0\n" /* imported_unit: import */
	"	.uleb128 4, 0x13\n	.byte 0\n" /* structure_type: name, byte_size */
	"	.uleb128 0x03, 0x08, 0x0b, 0x0b, 0, 0\n"
	"	.uleb128 5, 0x39\n	.byte 1\n	.uleb128 0x03, 0x08, 0, "
	"0\n" /* namespace: name */
	"	.uleb128 6, 0x13\n	.byte 0\n" /* structure_type: name, declaration */
	"	.uleb128 0x03, 0x08, 0x3c, 0x19, 0, 0\n"
	"	.uleb128 7, 0x13\n	.byte 0\n" /* structure_type: specification, byte_size */
	"	.uleb128 0x47, 0x13, 0x0b, 0x0b, 0, 0\n"
	"	.byte 0\n"
	"	.macro unit from, to\n"
	"	.long \\to - 1f\n1:	.value 4\n	.long 0\n	.byte 8\n"
	"	.endm\n"
	"	.section .debug_info,\"\",@progbits\n"
	"start1:	unit start1, end1\n"
	"part1:	.byte 2, 4, 'i', 'n', 0, 11, 3\n	.long part1\n" /* imports itself, too */
	"	.byte 0\n"
	"end1:\n"
	"start2:	unit start2, end2\n"
	"	.byte 2, 4, 'o', 'u', 't', 0, 12, 0\n"
	"end2:\n"
	"start3:	unit start3, end3\n"
	"	.byte 1, 4, 3\n	.long part1\n" /* C++ */
	"	.byte 5, 'n', 's', 0\n"
	"decl:	.byte 6, 'l', 'a', 't', 'e', 'r', 0, 0\n"
	"	.byte 7\n	.long decl - start3\n	.byte 13, 0\n"
	"end3:	.section .note.GNU-stack,\"\",@progbits\n";

static void imported_units_count_and_a_type_is_named_after_its_declaration(void **state)
{
	struct fixture *x = *state;

	write_file(x, "p.S", partial_units);
	sh(x, "gcc -shared -nostdlib p.S -o p.so");
	assert_string_equal(list(x, load(x, "p.so"), 0, 1000), "11 in;13 ns::later;");
}

static void without_dwarf_there_are_no_types(void **state)
{
	struct fixture *x = *state;

	write_file(x, "t.c", c_types);
	sh(x, "gcc t.c -o t");
	assert_string_equal(list(x, load(x, "t"), 0, UINT64_MAX), "");
	assert_string_equal(list(x, symbols_add_module(x->s, "none", -1), 0, UINT64_MAX), "");
}

static void only_the_wanted_sizes_are_listed(void **state)
{
	struct fixture *x = *state;
	struct sym_type *v;
	size_t n;
	uint64_t size = 113;

	write_file(x, "t.c", c_types);
	sh(x, "gcc -g t.c -o t");
	assert_int_equal(symbols_types(x->s, load(x, "t"), want_one, &size, &v, &n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(v[0].name, "again_t");
	assert_string_equal(v[1].name, "tagged_t");
	free(v);
}

/*
 * A unit that does not use a typedef has none in its DWARF, and a unit that uses only pointers to
 * a structure has only its tag: all units together describe the type.
 */
static void units_together_make_up_a_type(void **state)
{
	struct fixture *x = *state;

	write_file(x, "common.h", USE "struct both { char c[201]; };\n"
				      "typedef struct both both_t;\n"
				      "struct shared { char c[202]; };\n"
				      "typedef struct opaque opaque_t;\n"
				      "typedef struct { char c[206]; } twice_t;\n");
	/* Both have a struct own on their third line, but these are two types. */
	write_file(x, "a.c", "#include \"common.h\"\n\n"
			     "struct own { char c[203]; }; struct opaque { char c[205]; };\n"
			     "void a(void) { struct both b; struct shared s; struct own o; struct "
			     "opaque p;\n"
			     "twice_t t; take(&b); take(&s); take(&o); take(&p); take(&t); }\n");
	write_file(x, "b.c", "#include \"common.h\"\n" TAKE "struct own { char c[204]; };\n"
			     "opaque_t *pointer; void a(void);\n"
			     "int main(void) { both_t b; struct shared s; struct own o;\n"
			     "twice_t t; take(&t); take(&b); take(&s); take(&o); take(&pointer); "
			     "a(); return 0; }\n");
	sh(x, "gcc -g a.c b.c -o t");
	assert_string_equal(list(x, load(x, "t"), 200, 210),
			    "201 both_t;202 shared;203 own;204 own;205 opaque_t;206 twice_t;");
}

static const char cc_types[] =
	USE TAKE
	"namespace a {\n"
	"class b { public: struct C { char c[301]; }; struct Impl; Impl *p; C c;\n"
	"	typedef struct { char c[303]; } member_t; member_t m; typedef C value_type; "
	"value_type v; };\n"
	"struct b::Impl { char c[304]; };\n"
	"namespace { struct unnamed { char c[305]; }; }\n"
	"template<class T> struct box { T t; char c[306 - sizeof(T)]; };\n"
	"typedef box<int> int_box;\n"
	"inline namespace v1 { struct versioned { char c[307]; }; }\n"
	"int f() { struct local { char c[308]; void *g() { return c; } } l; unnamed h; int_box i;\n"
	"	box<unsigned char> u; versioned v; take(&l); take(&h); take(&i); take(&u); "
	"take(&v);\n"
	"	return l.g() != 0; }\n"
	"}\n"
	"union U { char c[309]; };\n"
	"struct derived : U2base { char d; };\n"
	"int main() { a::b b; a::b::Impl i; U u; derived d; take(&b); take(&i); take(&u); "
	"take(&d);\n"
	"	return a::f(); }\n";

static void check_cc(struct fixture *x, const char *compiler)
{
	write_file(x, "base.h", "struct U2base { char c[310]; };\n");
	write_file(x, "t.cc", cc_types);
	sh(x, "%s -include ./base.h t.cc -o t", compiler);
	assert_string_equal(list(x, load(x, "t"), 300, 400),
			    "301 a::b::C;303 a::b::member_t;304 a::b::Impl;"
			    "305 a::(anonymous namespace)::unnamed;306 a::box<unsigned char>;"
			    "307 a::v1::versioned;308 a::int_box;308 local;309 U;310 U2base;311 "
			    "derived;");
}

static void cplusplus_types_have_their_namespaces_and_classes(void **state)
{
	check_cc(*state, "g++ -gdwarf-5");
}

static void cplusplus_types_with_dwarf4(void **state)
{
	check_cc(*state, "g++ -gdwarf-4");
}

static void cplusplus_types_by_clang(void **state)
{
	if (!have("clang++"))
		skip();
	check_cc(*state, "clang++ -g");
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(structures_unions_and_their_typedefs_are_listed),
		T(the_same_with_dwarf4),
		T(the_same_with_type_units),
		T(the_same_with_type_units_of_dwarf5),
		T(the_same_with_split_dwarf),
		T(the_same_with_clang),
		T(the_same_in_a_separate_debug_file),
		T(the_same_with_dwz),
		T(imported_units_count_and_a_type_is_named_after_its_declaration),
		T(without_dwarf_there_are_no_types),
		T(only_the_wanted_sizes_are_listed),
		T(units_together_make_up_a_type),
		T(cplusplus_types_have_their_namespaces_and_classes),
		T(cplusplus_types_with_dwarf4),
		T(cplusplus_types_by_clang),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
