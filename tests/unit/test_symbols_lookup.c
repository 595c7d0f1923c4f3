/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/test_symbols_fixture.h"

/* A MARK is a label, at which the tests find an address by nm. */
#define MARK \
	"#define MARK(name) __asm__ volatile(" \
	"\".globl \" #name \"\\n\" #name \":\" ::: \"memory\")\n"

static const char program[] =
	MARK
	"volatile int sink;\n"
	"#line 10\n"
	"static inline __attribute__((always_inline)) void inner(int n)\n"
	"{\n"
	"	sink += n;\n"
	"	MARK(in_inner);\n"
	"}\n"
	"#line 20\n"
	"static inline __attribute__((always_inline)) void outer(int n)\n"
	"{\n"
	"	inner(n + 1);\n"
	"}\n"
	"#line 30\n"
	"__attribute__((noinline)) void plain(int n)\n"
	"{\n"
	"	outer(n);\n"
	"	sink = 3;\n"
	"	MARK(in_plain);\n"
	"}\n"
	"#line 40\n"
	"static __attribute__((noinline)) void hidden(int n)\n"
	"{\n"
	"	sink -= n;\n"
	"	MARK(in_hidden);\n"
	"}\n"
	"#line 50\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	(void)argv;\n"
	"	plain(argc);\n"
	"	hidden(argc);\n"
	"	sink++;\n"
	"	MARK(in_main);\n"
	"	return 0;\n"
	"}\n";

static void assert_frame(const struct sym_frame *f, const char *name, uint32_t line)
{
	assert_string_equal(f->name, name);
	assert_int_equal(f->line, line);
}

static void check_program(struct fixture *x, const char *compiler)
{
	write_file(x, "prog.c", program);
	sh(x, "%s prog.c -o prog", compiler);
	int m = load(x, "prog");
	uint64_t plain = nm(x, "prog", "plain"), hidden = nm(x, "prog", "hidden");
	uint64_t at = nm(x, "prog", "in_plain");
	struct sym_frames f = look(x, m, at, true);

	assert_int_equal(f.n, 1);
	assert_frame(&f.frames[0], "plain", 33);
	assert_ptr_equal(f.frames[0].name, f.frames[0].linkage);
	assert_string_equal(f.frames[0].file, in_dir(x, "prog.c"));
	assert_int_equal(f.frames[0].address, plain);
	uint64_t key = f.frames[0].function_key;

	assert_int_equal(f.frames[0].offset, at - plain);

	at = nm(x, "prog", "in_hidden");
	f = look(x, m, at, true);
	assert_int_equal(f.n, 1);
	assert_frame(&f.frames[0], "hidden", 42);
	assert_int_equal(f.frames[0].offset, at - hidden);

	at = nm(x, "prog", "in_inner");
	f = look(x, m, at, true);
	assert_int_equal(f.n, 3);
	assert_frame(&f.frames[0], "plain", 32);
	assert_frame(&f.frames[1], "outer", 22);
	assert_frame(&f.frames[2], "inner", 12);
	assert_true(f.frames[1].inlined && f.frames[2].inlined);
	assert_int_equal(f.frames[0].function_key, key);
	assert_int_not_equal(f.frames[1].function_key, f.frames[2].function_key);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(f.frames[i].offset, at - plain);
		assert_string_equal(f.frames[i].file, in_dir(x, "prog.c"));
	}
	assert_int_equal(f.frames[2].address, 0);
	assert_string_equal(symbols_source(x->s, m), "DWARF");
}

static void plain_static_and_inlined_functions_have_names_and_lines_dwarf5(void **state)
{
	check_program(*state, "gcc -O2 -gdwarf-5");
}

static void the_same_with_dwarf4(void **state)
{
	check_program(*state, "gcc -O2 -gdwarf-4");
}

static void the_same_without_aranges(void **state)
{
	struct fixture *x = *state;

	check_program(x, "gcc -O2 -g -no-pie");
	sh(x, "objcopy --remove-section .debug_aranges prog prog2");
	struct sym_frames f = look(x, load(x, "prog2"), nm(x, "prog", "in_inner"), true);

	assert_int_equal(f.n, 3);
}

static void the_same_with_compressed_sections(void **state)
{
	check_program(*state, "gcc -O2 -g -gz");
}

static void the_same_with_split_dwarf(void **state)
{
	check_program(*state, "gcc -O2 -g -gsplit-dwarf -gdwarf-5");
}

static void the_same_with_split_dwarf4(void **state)
{
	check_program(*state, "gcc -O2 -g -gsplit-dwarf -gdwarf-4");
}

static void that_split_dwarf_is_missing_is_said(void **state)
{
	struct fixture *x = *state;

	write_file(x, "m.c", "int main(void) { return 0; }\n");
	sh(x, "gcc -g -gsplit-dwarf m.c -o m && rm *.dwo");
	int m = load(x, "m");

	assert_string_equal(look(x, m, nm(x, "m", "main"), false).frames[0].name, "main");
	assert_string_equal(symbols_source(x->s, m), "DWARF; its split DWARF is missing");
}

static void the_same_with_link_time_optimization(void **state)
{
	check_program(*state, "gcc -O2 -g -flto");
}

static void the_same_with_clang(void **state)
{
	if (!have("clang"))
		skip();
	check_program(*state, "clang -O2 -gdwarf-4");
}

static void the_same_with_clang_and_dwarf5(void **state)
{
	if (!have("clang"))
		skip();
	check_program(*state, "clang -O2 -gdwarf-5");
}

static void a_return_address_behind_the_last_instruction_belongs_to_its_function(void **state)
{
	struct fixture *x = *state;

	write_file(x, "ret.c", "__attribute__((noreturn)) void stop(void);\n"
			       "__attribute__((noinline)) void caller(void) { stop(); }\n"
			       "void next(void) {}\n"
			       "void stop(void) { for (;;) ; }\n"
			       "int main(void) { caller(); next(); }\n");
	/* Without alignment the return address of the call in caller() is the start of next(). */
	sh(x, "gcc -O1 -g -fno-toplevel-reorder -falign-functions=1 -fcf-protection=none ret.c -o "
	      "ret");
	int m = load(x, "ret");
	uint64_t next = nm(x, "ret", "next"), caller = nm(x, "ret", "caller");

	assert_string_equal(look(x, m, next, false).frames[0].name, "next");
	struct sym_frame f = look(x, m, next, true).frames[0];

	assert_string_equal(f.name, "caller");
	assert_int_equal(f.offset, next - caller);
	assert_int_equal(f.line, 2);
	/* A second time, from the cache. */
	assert_string_equal(look(x, m, next, false).frames[0].name, "next");
	assert_string_equal(look(x, m, next, true).frames[0].name, "caller");
}

static void without_dwarf_the_symbol_table_tells(void **state)
{
	struct fixture *x = *state;

	write_file(x, "prog.c", program);
	sh(x, "gcc -O2 prog.c -o prog");
	int m = load(x, "prog");
	uint64_t at = nm(x, "prog", "in_hidden");
	struct sym_frames f = look(x, m, at, true);

	assert_int_equal(f.n, 1);
	assert_frame(&f.frames[0], "hidden", 0);
	assert_null(f.frames[0].file);
	assert_int_equal(f.frames[0].offset, at - nm(x, "prog", "hidden"));
	assert_string_equal(symbols_source(x->s, m), ".symtab");
}

static void a_stripped_library_has_its_dynamic_names_and_numbers_for_the_rest(void **state)
{
	struct fixture *x = *state;
	char expected[64];

	write_file(x, "prog.c", program);
	sh(x, "gcc -O2 -shared -fPIC prog.c -o libprog.so && strip libprog.so -o libstripped.so");
	int m = load(x, "libstripped.so");
	uint64_t at = nm(x, "libprog.so", "in_plain"), hidden = nm(x, "libprog.so", "hidden");

	assert_string_equal(symbols_source(x->s, m), ".dynsym");
	struct sym_frame f = look(x, m, at, true).frames[0];

	assert_string_equal(f.name, "plain");
	assert_int_equal(f.offset, at - nm(x, "libprog.so", "plain"));
	at = nm(x, "libprog.so", "in_hidden");
	f = look(x, m, at, true).frames[0];
	snprintf(expected, sizeof expected, "libstripped.so+0x%llx", (unsigned long long)hidden);
	assert_string_equal(f.name, expected);
	assert_ptr_equal(f.name, f.linkage);
	assert_int_equal(f.address, hidden);
	assert_int_equal(f.function_key, hidden);
	assert_int_equal(f.offset, at - hidden);
}

static void a_stripped_program_tells_functions_apart_by_their_beginning(void **state)
{
	struct fixture *x = *state;
	char expected[64];

	write_file(x, "prog.c", program);
	sh(x, "gcc -O2 prog.c -o prog && strip prog -o stripped");
	int m = load(x, "stripped");
	uint64_t plain = nm(x, "prog", "plain");
	struct sym_frame f = look(x, m, nm(x, "prog", "in_plain"), true).frames[0];

	snprintf(expected, sizeof expected, "stripped+0x%llx", (unsigned long long)plain);
	assert_string_equal(f.name, expected);
	assert_int_equal(f.function_key,
			 look(x, m, nm(x, "prog", "in_inner"), true).frames[0].function_key);
	assert_int_not_equal(f.function_key,
			     look(x, m, nm(x, "prog", "in_main"), true).frames[0].function_key);
}

static void an_address_nothing_knows_is_named_by_itself(void **state)
{
	struct fixture *x = *state;
	int m = symbols_add_module(x->s, "/no/such/[vdso]", -1);

	assert_int_equal(m, 0);
	assert_string_equal(symbols_build_id(x->s, m), "");
	assert_string_equal(symbols_source(x->s, m), "none; the file is gone or cannot be read");
	struct sym_frame f = look(x, m, 0x1230, true).frames[0];

	assert_string_equal(f.name, "[vdso]+0x1230");
	assert_null(f.file);
	assert_int_not_equal(f.function_key, look(x, m, 0x1231, true).frames[0].function_key);
}

static void many_lookups_are_kept_apart(void **state)
{
	struct fixture *x = *state;
	char expected[2][32];
	int a = symbols_add_module(x->s, "a", -1), b = symbols_add_module(x->s, "b", -1);

	for (int round = 0; round < 2; round++) {
		for (unsigned pc = 0x1000; pc < 0x2000; pc++) {
			snprintf(expected[0], sizeof expected[0], "a+0x%x", pc);
			snprintf(expected[1], sizeof expected[1], "b+0x%x", pc);
			uint64_t key = look(x, a, pc, false).frames[0].function_key;

			/* What returns to the next address was called from this one. */
			assert_int_equal(look(x, a, pc + 1, true).frames[0].function_key, key);
			assert_int_not_equal(look(x, a, pc, true).frames[0].function_key, key);
			assert_string_equal(look(x, a, pc, true).frames[0].name, expected[0]);
			assert_string_equal(look(x, b, pc, true).frames[0].name, expected[1]);
		}
	}
}

static void the_descriptor_stays_the_callers_and_bad_ones_are_refused(void **state)
{
	struct fixture *x = *state;

	write_file(x, "file", "text");
	int fd = open(in_dir(x, "file"), O_RDONLY | O_CLOEXEC);

	assert_int_equal(symbols_add_module(x->s, "file", fd), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(symbols_add_module(x->s, "file", fd), -EBADF);
	assert_int_equal(symbols_add_module(x->s, "file", -1), 1);
}

static void the_build_id_is_that_of_the_file(void **state)
{
	struct fixture *x = *state;

	write_file(x, "e.c", "int main(void) { return 0; }\n");
	sh(x, "gcc e.c -o e -Wl,--build-id=0x0123456789ABCDEF && gcc e.c -o f -Wl,--build-id=none");
	int e = load(x, "e"), f = load(x, "f");

	assert_string_equal(symbols_build_id(x->s, e), "0123456789abcdef");
	assert_string_equal(symbols_build_id(x->s, f), "");
}

static void assembly_functions_come_from_the_symbol_table_with_their_lines(void **state)
{
	struct fixture *x = *state;

	write_file(x, "s.S", "	.text\n"
			     "	.globl sized\n"
			     "	.type sized, @function\n"
			     "sized:	nop\n"
			     "	nop\n"
			     "	.size sized, .-sized\n"
			     "	.globl unsized\n"
			     "unsized: nop\n"
			     "	nop\n"
			     "	ret\n"
			     "	.globl around\n"
			     "	.type around, @function\n"
			     "around: nop\n"
			     "	.globl inside\n"
			     "	.type inside, @function\n"
			     "inside: nop\n"
			     "	.size inside, .-inside\n"
			     "	nop\n"
			     "	.size around, .-around\n"
			     "	.section .note.GNU-stack,\"\",@progbits\n");
	write_file(x, "m.c", "int main(void) { return 0; }\n");
	/* gas itself writes functions into the DWARF, but only those that have a type and a
	 * size. */
	sh(x, "gcc -g s.S m.c -o s && gcc s.S m.c -o bare");
	int m = load(x, "s"), bare = load(x, "bare");
	uint64_t sized = nm(x, "s", "sized"), un = nm(x, "s", "unsized");
	struct sym_frame f = look(x, m, sized + 1, false).frames[0];

	assert_frame(&f, "sized", 5);
	assert_int_equal(f.offset, 1);
	f = look(x, m, un + 2, false).frames[0];
	assert_frame(&f, "unsized", 10);
	assert_int_equal(f.address, un);
	f = look(x, bare, nm(x, "bare", "unsized") + 2, false).frames[0];
	assert_frame(&f, "unsized", 0);
	assert_int_equal(f.offset, 2);
	uint64_t around = nm(x, "bare", "around");
	static const char *const names[] = { "around", "inside", "around" };

	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(look(x, bare, around + i, false).frames[0].name, names[i]);
}

/* Debian's packages are built like this: all directories are relative, and none may occur twice. */
static void a_mapped_folder_stands_once_in_a_file_name(void **state)
{
	struct fixture *x = *state;

	sh(x, "mkdir sub");
	write_file(x, "sub/h.h",
		   "__attribute__((noinline)) static int f(int n) { return n * 3; }\n");
	write_file(x, "m.c", "#include \"sub/h.h\"\nint main(int argc, char **argv)\n"
			     "{ (void)argv; return f(argc); }\n");
	for (int version = 4; version <= 5; version++) {
		sh(x, "gcc -gdwarf-%d -ffile-prefix-map=%s=./pkg m.c -o m", version, x->dir);
		int m = load(x, "m");

		assert_string_equal(look(x, m, nm(x, "m", "main"), false).frames[0].file,
				    "./pkg/m.c");
		assert_string_equal(look(x, m, nm(x, "m", "f"), false).frames[0].file,
				    "./pkg/sub/h.h");
	}
}

static void the_best_of_several_names_is_shown(void **state)
{
	struct fixture *x = *state;

	write_file(x, "alias.c", "void __underscored(void) {}\n"
				 "void bare(void) __attribute__((alias(\"__underscored\")));\n"
				 "void a_weak(void) __attribute__((weak, "
				 "alias(\"__underscored\")));\n"
				 "int main(void) { return 0; }\n");
	sh(x, "gcc alias.c -o alias");
	struct sym_frame f = look(x, load(x, "alias"), nm(x, "alias", "bare"), false).frames[0];

	assert_string_equal(f.name, "bare");
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(plain_static_and_inlined_functions_have_names_and_lines_dwarf5),
		T(the_same_with_dwarf4),
		T(the_same_without_aranges),
		T(the_same_with_compressed_sections),
		T(the_same_with_split_dwarf),
		T(the_same_with_split_dwarf4),
		T(that_split_dwarf_is_missing_is_said),
		T(the_same_with_link_time_optimization),
		T(the_same_with_clang),
		T(the_same_with_clang_and_dwarf5),
		T(a_return_address_behind_the_last_instruction_belongs_to_its_function),
		T(without_dwarf_the_symbol_table_tells),
		T(a_stripped_library_has_its_dynamic_names_and_numbers_for_the_rest),
		T(a_stripped_program_tells_functions_apart_by_their_beginning),
		T(an_address_nothing_knows_is_named_by_itself),
		T(many_lookups_are_kept_apart),
		T(the_descriptor_stays_the_callers_and_bad_ones_are_refused),
		T(the_build_id_is_that_of_the_file),
		T(assembly_functions_come_from_the_symbol_table_with_their_lines),
		T(a_mapped_folder_stands_once_in_a_file_name),
		T(the_best_of_several_names_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
