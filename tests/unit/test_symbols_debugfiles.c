/* SPDX-License-Identifier: BSD-2-Clause */
#include "test_symbols_fixture.h"

static const char program[] = "volatile int sink;\n"
			      "static __attribute__((noinline)) void hidden(int n)\n"
			      "{\n"
			      "	sink += n;\n"
			      "}\n"
			      "int main(int argc, char **argv)\n"
			      "{\n"
			      "	(void)argv;\n"
			      "	hidden(argc);\n"
			      "	sink++;\n"
			      "	return 0;\n"
			      "}\n";

/* prog with DWARF, prog.debug split off from it, and stripped without a link between the two. */
static void make(struct fixture *x, const char *id)
{
	write_file(x, "prog.c", program);
	sh(x, "gcc -g -Wl,--build-id=%s prog.c -o prog", id);
	sh(x, "objcopy --only-keep-debug prog prog.debug && strip prog -o stripped");
}

static void assert_found(struct fixture *x, const char *file, const char *debug)
{
	char source[PATH_MAX + 32];
	int m = load(x, file);
	struct sym_frame f = look(x, m, nm(x, "prog", "hidden"), false).frames[0];

	snprintf(source, sizeof source, "DWARF in %s", in_dir(x, debug));
	assert_string_equal(symbols_source(x->s, m), source);
	assert_string_equal(f.name, "hidden");
	assert_int_equal(f.line, 3);
	assert_string_equal(f.file, in_dir(x, "prog.c"));
}

static void assert_not_found(struct fixture *x, const char *file)
{
	int m = load(x, file);
	struct sym_frame f = look(x, m, nm(x, "prog", "hidden"), false).frames[0];

	assert_string_equal(symbols_source(x->s, m), ".dynsym");
	assert_string_not_equal(f.name, "hidden");
	assert_int_equal(f.line, 0);
}

static void a_debug_link_is_followed_beside_the_file(void **state)
{
	struct fixture *x = *state;

	make(x, "sha1");
	sh(x, "objcopy --add-gnu-debuglink=prog.debug stripped");
	assert_found(x, "stripped", "prog.debug");
}

static void a_debug_link_is_followed_into_dot_debug(void **state)
{
	struct fixture *x = *state;

	make(x, "sha1");
	sh(x, "objcopy --add-gnu-debuglink=prog.debug stripped && mkdir .debug && mv prog.debug .debug");
	assert_found(x, "stripped", ".debug/prog.debug");
}

static void a_debug_link_is_followed_from_where_a_symbolic_link_leads(void **state)
{
	struct fixture *x = *state;

	make(x, "sha1");
	sh(x, "objcopy --add-gnu-debuglink=prog.debug stripped && mkdir bin && ln -s ../stripped bin/s");
	assert_found(x, "bin/s", "prog.debug");
}

static void without_a_build_id_the_checksum_decides(void **state)
{
	struct fixture *x = *state;

	make(x, "none");
	sh(x, "objcopy --add-gnu-debuglink=prog.debug stripped");
	assert_found(x, "stripped", "prog.debug");
	sh(x, "printf x >>prog.debug");
	assert_not_found(x, "stripped");
}

static void a_debug_file_of_another_build_id_is_not_taken(void **state)
{
	struct fixture *x = *state;

	make(x, "0x0123456789abcdef");
	sh(x, "gcc -g -Wl,--build-id=0x0123456789abcde0 prog.c -o other");
	sh(x, "objcopy --only-keep-debug other prog.debug");
	/* The checksum in the link is that of the wrong file: it must not be what counts. */
	sh(x, "objcopy --add-gnu-debuglink=prog.debug stripped");
	assert_not_found(x, "stripped");
}

static void a_debug_file_without_build_id_is_not_taken_for_a_file_that_has_one(void **state)
{
	struct fixture *x = *state;

	make(x, "sha1");
	sh(x, "objcopy --remove-section .note.gnu.build-id prog.debug");
	sh(x, "objcopy --add-gnu-debuglink=prog.debug stripped");
	assert_not_found(x, "stripped");
}

static void a_debug_link_with_folders_in_it_is_not_followed(void **state)
{
	struct fixture *x = *state;

	make(x, "sha1");
	sh(x, "mkdir sub && mv prog.debug sub");
	/* objcopy writes only the last part of the name: make the section by hand. */
	sh(x, "printf 'sub/prog.debug\\0\\0\\1\\2\\3\\4' >link && "
	      "objcopy --add-section .gnu_debuglink=link stripped");
	assert_not_found(x, "stripped");
}

static void a_named_pipe_instead_of_a_debug_file_does_not_hang(void **state)
{
	struct fixture *x = *state;

	make(x, "sha1");
	sh(x, "objcopy --add-gnu-debuglink=prog.debug stripped && rm prog.debug && mkfifo prog.debug");
	assert_not_found(x, "stripped");
}

static void a_link_to_the_file_itself_is_no_debug_file(void **state)
{
	struct fixture *x = *state;

	make(x, "sha1");
	/* The checksum is that of the debug file; only the name is also that of the program. */
	sh(x, "mkdir .debug && cp prog.debug .debug/stripped && "
	      "objcopy --add-gnu-debuglink=.debug/stripped stripped");
	assert_found(x, "stripped", ".debug/stripped");
}

static void a_debug_file_with_a_symbol_table_only_gives_names(void **state)
{
	struct fixture *x = *state;
	char source[PATH_MAX + 32];

	make(x, "sha1");
	sh(x, "strip --strip-debug prog.debug && objcopy --add-gnu-debuglink=prog.debug stripped");
	int m = load(x, "stripped");
	struct sym_frame f = look(x, m, nm(x, "prog", "hidden"), false).frames[0];

	assert_string_equal(f.name, "hidden");
	snprintf(source, sizeof source, ".symtab in %s", in_dir(x, "prog.debug"));
	assert_string_equal(symbols_source(x->s, m), source);
}

/* Debian's libc6-dbg: found by build ID below /usr/lib/debug. */
static void the_debug_file_of_libc_is_found_by_build_id(void **state)
{
	struct fixture *x = *state;
	char path[PATH_MAX];
	const char *libc = "/lib/x86_64-linux-gnu/libc.so.6";
	int fd = open(libc, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		skip();
	int m = symbols_add_module(x->s, libc, fd);

	close(fd);
	const char *id = symbols_build_id(x->s, m);

	if (strlen(id) < 4)
		skip();
	snprintf(path, sizeof path, "/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
	if (access(path, R_OK))
		skip();
	assert_int_equal(strncmp(symbols_source(x->s, m), "DWARF in ", 9), 0);
	assert_string_equal(symbols_source(x->s, m) + 9, path);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(a_debug_link_is_followed_beside_the_file),
		T(a_debug_link_is_followed_into_dot_debug),
		T(a_debug_link_is_followed_from_where_a_symbolic_link_leads),
		T(without_a_build_id_the_checksum_decides),
		T(a_debug_file_of_another_build_id_is_not_taken),
		T(a_debug_file_without_build_id_is_not_taken_for_a_file_that_has_one),
		T(a_debug_link_with_folders_in_it_is_not_followed),
		T(a_named_pipe_instead_of_a_debug_file_does_not_hang),
		T(a_link_to_the_file_itself_is_no_debug_file),
		T(a_debug_file_with_a_symbol_table_only_gives_names),
		T(the_debug_file_of_libc_is_found_by_build_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
