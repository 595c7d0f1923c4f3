/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "naming/start_code.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

enum { PROGRAM, LIBC, OTHER };

/* A dynamic program whose C library is module LIBC. */
static const struct start_names dynamic = { .entry = 0x1050, .c_library = LIBC };
/* A static one. */
static const struct start_names whole = { .entry = 0x401000, .c_library = PD_NONE };

static enum start_code of(const struct start_names *s, uint32_t module, const char *name,
			  uint64_t address)
{
	struct sym_frame f = { .name = name, .linkage = name, .address = address };

	return start_code_of(s, module, module == PROGRAM, &f);
}

static void the_entry_of_the_program_is_told_by_its_address(void **state)
{
	(void)state;
	assert_int_equal(of(&dynamic, PROGRAM, "whatever", 0x1050), START_ENTRY);
	assert_int_equal(of(&dynamic, PROGRAM, "prog+0x1050", 0x1050), START_ENTRY);
	assert_int_equal(of(&dynamic, PROGRAM, "main", 0x1139), NOT_START_CODE);
	assert_int_equal(of(&dynamic, OTHER, "whatever", 0x1050), NOT_START_CODE);
	assert_int_equal(of(&dynamic, LIBC, "qsort", 0x1050), NOT_START_CODE);
}

static void an_entry_that_is_not_known_is_nobody(void **state)
{
	static const struct start_names s = { .entry = 0, .c_library = LIBC };

	(void)state;
	assert_int_equal(of(&s, PROGRAM, "inlined_only", 0), NOT_START_CODE);
}

static void the_c_librarys_start_code_is_told_by_name(void **state)
{
	(void)state;
	assert_int_equal(of(&dynamic, LIBC, "__libc_start_main", 0x27000), START_MAIN);
	assert_int_equal(of(&dynamic, LIBC, "__libc_start_main_impl", 0x27000), START_MAIN);
	assert_int_equal(of(&dynamic, LIBC, "__libc_start_call_main", 0x26f00), START_CALL_MAIN);
	assert_int_equal(of(&dynamic, LIBC, "start_thread", 0x85000), START_MAIN);
	assert_int_equal(of(&dynamic, LIBC, "clone3", 0x105000), START_THREAD);
	assert_int_equal(of(&dynamic, LIBC, "__clone3", 0x105000), START_THREAD);
	assert_int_equal(of(&dynamic, LIBC, "clone", 0x105000), START_THREAD);
	assert_int_equal(of(&dynamic, LIBC, "qsort", 0x3d000), NOT_START_CODE);
	assert_int_equal(of(&dynamic, LIBC, "__libc_start_mainly", 0x3d000), NOT_START_CODE);
}

static void the_same_names_elsewhere_are_the_programs_own(void **state)
{
	(void)state;
	assert_int_equal(of(&dynamic, PROGRAM, "start_thread", 0x1200), NOT_START_CODE);
	assert_int_equal(of(&dynamic, PROGRAM, "clone", 0x1200), NOT_START_CODE);
	assert_int_equal(of(&dynamic, OTHER, "__libc_start_main", 0x1200), NOT_START_CODE);
}

static void a_static_program_has_the_c_librarys_names_itself(void **state)
{
	(void)state;
	assert_int_equal(of(&whole, PROGRAM, "_start", 0x401000), START_ENTRY);
	assert_int_equal(of(&whole, PROGRAM, "__libc_start_main", 0x402000), START_MAIN);
	assert_int_equal(of(&whole, PROGRAM, "__libc_start_call_main", 0x403000), START_CALL_MAIN);
	assert_int_equal(of(&whole, PROGRAM, "main", 0x404000), NOT_START_CODE);
	assert_int_equal(of(&whole, OTHER, "start_thread", 0x404000), NOT_START_CODE);
}

/* libc without a symbol table: static functions have no name at all. */
static void nameless_code_of_the_c_library_may_be_start_code(void **state)
{
	(void)state;
	assert_int_equal(of(&dynamic, LIBC, "libc.so.6+0x27250", 0x27250), START_NAMELESS);
	assert_int_equal(of(&dynamic, LIBC, "libc-2.31.so+0x1", 1), START_NAMELESS);
	assert_int_equal(of(&dynamic, OTHER, "libother.so+0x27250", 0x27250), NOT_START_CODE);
	assert_int_equal(of(&dynamic, PROGRAM, "prog+0x1200", 0x1200), NOT_START_CODE);
	assert_int_equal(of(&dynamic, LIBC, "plus+minus", 0x27250), NOT_START_CODE);
}

static void the_linkage_name_decides_if_there_is_one(void **state)
{
	struct sym_frame f = { .name = "shown", .linkage = "clone3", .address = 1 };

	(void)state;
	assert_int_equal(start_code_of(&dynamic, LIBC, false, &f), START_THREAD);
	f = (struct sym_frame){ .name = "clone3", .linkage = NULL, .address = 1 };
	assert_int_equal(start_code_of(&dynamic, LIBC, false, &f), START_THREAD);
}

/* main called by the program itself, or a program's function far inside, is not trimmed. */
static void start_code_stands_at_its_depth_only(void **state)
{
	static const struct {
		enum start_code kind;
		bool at[4];
	} where[] = {
		{ NOT_START_CODE, { false, false, false, false } },
		{ START_ENTRY, { true, false, false, false } },
		{ START_THREAD, { true, false, false, false } },
		{ START_MAIN, { false, true, false, false } },
		{ START_CALL_MAIN, { false, true, true, false } },
		{ START_MUSL, { true, false, false, false } },
		{ START_NAMELESS, { true, true, true, false } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof where / sizeof *where; i++)
		for (unsigned depth = 0; depth < 4; depth++)
			assert_int_equal(start_code_at(where[i].kind, depth, true),
					 where[i].at[depth]);
	assert_false(start_code_at(START_NAMELESS, 1000000, true));
	/* Of a chain that was cut off nobody knows what called that. */
	assert_false(start_code_at(START_MUSL, 0, false));
	assert_true(start_code_at(START_THREAD, 0, false));
}

static uint32_t c_library_among(const char *path)
{
	const struct resolve_module modules[] = { { "/bin/prog", -1 }, { path, -1 },
						  { "/lib/libm.so.6", -1 } };
	struct start_names s;

	start_names_init(&s, modules, 3, 0);
	return s.c_library;
}

static void the_c_library_is_found_by_its_files_name(void **state)
{
	(void)state;
	assert_int_equal(c_library_among("/lib/x86_64-linux-gnu/libc.so.6"), 1);
	assert_int_equal(c_library_among("/lib/libc-2.31.so"), 1);
	assert_int_equal(c_library_among("/lib/ld-musl-x86_64.so.1"), 1);
	assert_int_equal(c_library_among("libc.so.6"), 1);
	assert_int_equal(c_library_among("/lib/libcap.so.2"), PD_NONE);
	assert_int_equal(c_library_among("/lib/libc.so.6.d/libx.so"), PD_NONE);
	assert_int_equal(c_library_among("/lib/libcrypt-2.31.so"), PD_NONE);
	assert_int_equal(c_library_among("[vdso]"), PD_NONE);
	assert_int_equal(c_library_among(""), PD_NONE);
}

extern char _start[];

static int first_module(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1;
}

static void the_entry_is_read_from_the_programs_file(void **state)
{
	struct resolve_module m = { "/proc/self/exe",
				    open("/proc/self/exe", O_RDONLY | O_CLOEXEC) };
	struct start_names s;
	uintptr_t bias = 0;

	(void)state;
	dl_iterate_phdr(first_module, &bias);
	assert_true(m.fd >= 0);
	start_names_init(&s, &m, 1, 0);
	close(m.fd);
	assert_int_equal(s.entry, (uintptr_t)_start - bias);
	assert_int_equal(s.c_library, PD_NONE);
}

static void without_a_program_file_there_is_no_entry(void **state)
{
	struct resolve_module m[] = { { "/bin/prog", -1 },
				      { "/dev/null", open("/dev/null", O_RDONLY) } };
	struct start_names s;

	(void)state;
	assert_true(m[1].fd >= 0);
	start_names_init(&s, m, 2, 0);
	assert_int_equal(s.entry, 0);
	start_names_init(&s, m, 2, 1); /* too short to be an ELF file */
	assert_int_equal(s.entry, 0);
	start_names_init(&s, m, 2, PD_NONE);
	assert_int_equal(s.entry, 0);
	start_names_init(&s, NULL, 0, PD_NONE);
	assert_int_equal(s.entry, 0);
	close(m[1].fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_entry_of_the_program_is_told_by_its_address),
		cmocka_unit_test(an_entry_that_is_not_known_is_nobody),
		cmocka_unit_test(the_c_librarys_start_code_is_told_by_name),
		cmocka_unit_test(the_same_names_elsewhere_are_the_programs_own),
		cmocka_unit_test(a_static_program_has_the_c_librarys_names_itself),
		cmocka_unit_test(nameless_code_of_the_c_library_may_be_start_code),
		cmocka_unit_test(the_linkage_name_decides_if_there_is_one),
		cmocka_unit_test(start_code_stands_at_its_depth_only),
		cmocka_unit_test(the_c_library_is_found_by_its_files_name),
		cmocka_unit_test(the_entry_is_read_from_the_programs_file),
		cmocka_unit_test(without_a_program_file_there_is_no_entry),
	};

	return cmocka_run_group_tests_name("start_code", tests, NULL, NULL);
}
