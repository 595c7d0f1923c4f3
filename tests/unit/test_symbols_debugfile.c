/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/test_symbols_fixture.h"

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

/* @other: prog.debug is there, but cannot be taken, and that is said */
static void assert_not_found(struct fixture *x, const char *file, bool other)
{
	char source[PATH_MAX + 64];
	int m = load(x, file);
	struct sym_frame f = look(x, m, nm(x, "prog", "hidden"), false).frames[0];

	snprintf(source, sizeof source, ".dynsym%s%s%s", other ? "; " : "",
		 other ? in_dir(x, "prog.debug") : "", other ? " does not match" : "");
	assert_string_equal(symbols_source(x->s, m), source);
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
	sh(x, "objcopy --add-gnu-debuglink=prog.debug stripped && mkdir .debug && mv prog.debug "
	      ".debug");
	assert_found(x, "stripped", ".debug/prog.debug");
}

static void a_debug_link_is_followed_from_where_a_symbolic_link_leads(void **state)
{
	struct fixture *x = *state;

	make(x, "sha1");
	sh(x, "objcopy --add-gnu-debuglink=prog.debug stripped && mkdir bin && ln -s ../stripped "
	      "bin/s");
	assert_found(x, "bin/s", "prog.debug");
}

static void without_a_build_id_the_checksum_decides(void **state)
{
	struct fixture *x = *state;

	make(x, "none");
	sh(x, "objcopy --add-gnu-debuglink=prog.debug stripped");
	assert_found(x, "stripped", "prog.debug");
	sh(x, "printf x >>prog.debug");
	assert_not_found(x, "stripped", true);
}

static void a_debug_file_of_another_build_id_is_not_taken(void **state)
{
	struct fixture *x = *state;

	make(x, "0x0123456789abcdef");
	sh(x, "gcc -g -Wl,--build-id=0x0123456789abcde0 prog.c -o other");
	sh(x, "objcopy --only-keep-debug other prog.debug");
	/* The checksum in the link is that of the wrong file: it must not be what counts. */
	sh(x, "objcopy --add-gnu-debuglink=prog.debug stripped");
	assert_not_found(x, "stripped", true);
}

static void a_debug_file_without_build_id_is_not_taken_for_a_file_that_has_one(void **state)
{
	struct fixture *x = *state;

	make(x, "sha1");
	sh(x, "objcopy --remove-section .note.gnu.build-id prog.debug");
	sh(x, "objcopy --add-gnu-debuglink=prog.debug stripped");
	assert_not_found(x, "stripped", true);
}

static void a_debug_link_with_folders_in_it_is_not_followed(void **state)
{
	struct fixture *x = *state;

	make(x, "sha1");
	sh(x, "mkdir sub && mv prog.debug sub");
	/* objcopy writes only the last part of the name: make the section by hand. */
	sh(x, "printf 'sub/prog.debug\\0\\0\\1\\2\\3\\4' >link && "
	      "objcopy --add-section .gnu_debuglink=link stripped");
	assert_not_found(x, "stripped", false);
}

static void a_named_pipe_instead_of_a_debug_file_does_not_hang(void **state)
{
	struct fixture *x = *state;

	make(x, "sha1");
	sh(x, "objcopy --add-gnu-debuglink=prog.debug stripped && rm prog.debug && mkfifo "
	      "prog.debug");
	assert_not_found(x, "stripped", false);
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

/* The same file in three layouts of a directory given to mprof. */
static void debug_files_are_found_in_the_folders_that_are_named(void **state)
{
	static const char *const places[] = { "d/.build-id/01/23456789abcdef.debug", "d/whatever",
					      "d/stripped.debug" };
	struct fixture *x = *state;
	char dir[PATH_MAX];
	const char *dirs[] = { "/nonexistent", dir, NULL };

	make(x, "0x0123456789abcdef");
	sh(x, "mkdir -p d/.build-id/01");
	snprintf(dir, sizeof dir, "%s", in_dir(x, "d"));
	symbols_set_search(x->s, &(struct symbols_search){ .debug_dirs = dirs });
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		sh(x, "cp prog.debug %s", places[i]);
		assert_found(x, "stripped", places[i]);
		sh(x, "rm %s", places[i]);
	}
	sh(x, "mkdir -p d/%s && cp prog.debug d/%s/linked.debug && mv prog.debug linked.debug && "
	      "objcopy --add-gnu-debuglink=linked.debug stripped && mv linked.debug prog.debug",
	   x->dir, x->dir);
	char below[PATH_MAX];

	snprintf(below, sizeof below, "d%s/linked.debug", x->dir);
	assert_found(x, "stripped", below);
}

static void a_debug_file_of_another_build_in_such_a_folder_is_said_not_taken(void **state)
{
	struct fixture *x = *state;
	char source[PATH_MAX + 64], dir[PATH_MAX];
	const char *dirs[] = { dir, NULL };

	make(x, "0x0123456789abcdef");
	sh(x, "gcc -g -Wl,--build-id=0x0123456789abcde0 prog.c -o other && mkdir d && cp other "
	      "d/stripped");
	snprintf(dir, sizeof dir, "%s", in_dir(x, "d"));
	symbols_set_search(x->s, &(struct symbols_search){ .debug_dirs = dirs });
	int m = load(x, "stripped");

	snprintf(source, sizeof source, ".dynsym; %s does not match", in_dir(x, "d/stripped"));
	assert_string_equal(symbols_source(x->s, m), source);
}

/* What eu-strip and find-debuginfo of rpm leave in a stripped file. */
static void a_packed_symbol_table_in_the_file_gives_names(void **state)
{
	struct fixture *x = *state;

	make(x, "sha1");
	if (!have("xz"))
		skip();
	sh(x, "strip --strip-debug prog -o mini && objcopy -S --keep-symbol=hidden mini packed && "
	      "xz -k packed && objcopy --add-section .gnu_debugdata=packed.xz stripped");
	int m = load(x, "stripped");
	struct sym_frame f = look(x, m, nm(x, "prog", "hidden"), false).frames[0];

	assert_string_equal(f.name, "hidden");
	assert_string_equal(symbols_source(x->s, m), "MiniDebugInfo");
	assert_int_equal(f.line, 0);
}

static void a_packed_symbol_table_that_is_damaged_does_no_harm(void **state)
{
	struct fixture *x = *state;

	make(x, "sha1");
	if (!have("xz"))
		skip();
	/* Cut short; no xz at all; gigabytes of noughts in some kilobytes; no ELF file. */
	sh(x, "for i in cut none huge text; do cp stripped s-$i; done; xz -k prog.debug; "
	      "head -c 300 prog.debug.xz >cut; echo none >none; echo text | xz >text; "
	      "head -c 1000000000 /dev/zero | xz -1 -T2 >huge; "
	      "for i in cut none huge text; do objcopy --add-section .gnu_debugdata=$i s-$i; done");
	assert_not_found(x, "s-cut", false);
	assert_not_found(x, "s-none", false);
	assert_not_found(x, "s-huge", false);
	assert_not_found(x, "s-text", false);
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
		T(debug_files_are_found_in_the_folders_that_are_named),
		T(a_debug_file_of_another_build_in_such_a_folder_is_said_not_taken),
		T(a_packed_symbol_table_in_the_file_gives_names),
		T(a_packed_symbol_table_that_is_damaged_does_no_harm),
		T(the_debug_file_of_libc_is_found_by_build_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
