/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/test_symbols_fixture.h"

#include <elf.h>

/*
 * Files are untrusted: whatever is in them, each look-up returns a frame, and nothing crashes or
 * runs for ever. These tests are most useful with SAN=address,undefined.
 */

static const char source[] =
"#include <stdlib.h>\n"
"typedef struct node { struct node *next; union { long l; char c[24]; } u; } node_t;\n"
"volatile int sink;\n"
"static inline __attribute__((always_inline)) void inner(int n) { sink += n; }\n"
"static inline __attribute__((always_inline)) void outer(int n) { inner(n); inner(n + 1); }\n"
"static __attribute__((noinline)) node_t *make(int n) { struct local { char c[40]; } l = { { 0 } "
"};\n"
"	node_t *p = calloc(1, sizeof *p); outer(n + l.c[sink & 1]); return p; }\n"
"int main(int argc, char **argv) { (void)argv; free(make(argc)); return 0; }\n";

struct image {
	unsigned char *bytes;
	size_t n;
	uint64_t make;		/* address of make() */
};

static bool want_all(uint64_t size, void *ctx)
{
	(void)size, (void)ctx;
	return true;
}

static struct image compile_by(struct fixture *x, const char *compiler, const char *flags)
{
	struct image i;
	struct stat st;

	write_file(x, "b.c", source);
	sh(x, "%s -O2 %s b.c -o b -Wl,--hash-style=gnu", compiler, flags);
	i.make = nm(x, "b", "make");
	FILE *f = fopen(in_dir(x, "b"), "re");

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	i.n = (size_t)st.st_size;
	i.bytes = malloc(i.n);
	assert_non_null(i.bytes);
	assert_int_equal(fread(i.bytes, 1, i.n, f), i.n);
	fclose(f);
	return i;
}

static struct image compile(struct fixture *x, const char *flags)
{
	return compile_by(x, "gcc", flags);
}

/* Ask all there is to ask of a file made of these bytes. */
static void ask(struct fixture *x, const unsigned char *bytes, size_t n, uint64_t around)
{
	struct symbols *s = symbols_new();
	struct sym_type *types;
	struct sym_frames f;
	size_t n_types;
	int fd = open(in_dir(x, "broken"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_non_null(s);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	int m = symbols_add_module(s, in_dir(x, "broken"), fd);

	close(fd);
	assert_int_equal(m, 0);
	assert_non_null(symbols_build_id(s, m));
	assert_non_null(symbols_source(s, m));
	for (uint64_t pc = around - 16; pc < around + 80; pc += 4) {
		assert_int_equal(symbols_lookup(s, m, pc, pc & 4, &f), 0);
		assert_true(f.n >= 1);
		for (size_t i = 0; i < f.n; i++)
			assert_true(*f.frames[i].name && *f.frames[i].linkage);
	}
	assert_int_equal(symbols_lookup(s, m, 0, true, &f), 0);
	assert_int_equal(symbols_lookup(s, m, UINT64_MAX, true, &f), 0);
	assert_int_equal(symbols_types(s, m, want_all, NULL, &types, &n_types), 0);
	free(types);
	symbols_free(s);
}

static void files_that_are_no_elf_have_no_names(void **state)
{
	struct fixture *x = *state;
	static const char *const texts[] = { "", "\177", "\177ELF", "#!/bin/sh\n", "!<arch>\n" };
	unsigned char noise[4096];

	srand(1);
	for (size_t i = 0; i < sizeof noise; i++)
		noise[i] = (unsigned char)(rand() >> 8);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		ask(x, (const unsigned char *)texts[i], strlen(texts[i]), 0x1000);
	ask(x, noise, sizeof noise, 0x1000);
	memcpy(noise, ELFMAG, SELFMAG);
	noise[EI_CLASS] = ELFCLASS64;
	noise[EI_DATA] = ELFDATA2LSB;
	noise[EI_VERSION] = EV_CURRENT;
	ask(x, noise, sizeof noise, 0x1000);
	ask(x, noise, EI_NIDENT, 0x1000);
}

static void a_folder_or_a_device_has_no_names(void **state)
{
	struct fixture *x = *state;
	static const char *const paths[] = { "/", "/dev/null" };

	for (size_t i = 0; i < 2; i++) {
		int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
		int m = symbols_add_module(x->s, paths[i], fd);

		close(fd);
		assert_string_equal(symbols_source(x->s, m), "none");
		look(x, m, 0x1000, true);
	}
}

static void an_object_file_or_a_32_bit_program_does_no_harm(void **state)
{
	struct fixture *x = *state;

	write_file(x, "b.c", source);
	sh(x, "gcc -g -c b.c -o b.o");
	look(x, load(x, "b.o"), 0x10, true);
	write_file(x, "f.c", "void f(void) {}\n");
	sh(x, "gcc -g -m32 -nostdlib -shared f.c -o f32 2>/dev/null || cp b.o f32");
	look(x, load(x, "f32"), 0x1000, true);
}

static void files_cut_short_anywhere_do_no_harm(void **state)
{
	struct fixture *x = *state;
	struct image i = compile(x, "-g");

	for (size_t n = 0; n < i.n; n += 64)
		ask(x, i.bytes, n, i.make);
	free(i.bytes);
}

static void a_file_cut_short_after_it_was_opened_does_no_harm(void **state)
{
	struct fixture *x = *state;
	struct image i = compile(x, "-g");
	int m = load(x, "b");

	assert_int_equal(truncate(in_dir(x, "b"), 4096), 0);
	look(x, m, i.make, false);
	assert_int_equal(truncate(in_dir(x, "b"), 0), 0);
	look(x, m, i.make + 4, true);
	m = load(x, "b");
	look(x, m, i.make, false);
	free(i.bytes);
}

/* Section by name: offset and size in the file. */
static bool section(const struct image *i, const char *name, size_t *offset, size_t *size)
{
	const Elf64_Ehdr *eh = (const void *)i->bytes;
	const Elf64_Shdr *sh = (const void *)(i->bytes + eh->e_shoff);

	for (int k = 0; k < eh->e_shnum; k++) {
		const char *s = (const char *)i->bytes + sh[eh->e_shstrndx].sh_offset +
				sh[k].sh_name;

		if (strcmp(s, name) != 0)
			continue;
		*offset = sh[k].sh_offset;
		*size = sh[k].sh_size;
		return true;
	}
	return false;
}

/* Put other values into a few bytes of [from, from + n), @rounds times, always into a fresh
 * copy. */
static void flip(struct fixture *x, const struct image *i, size_t from, size_t n, int rounds)
{
	unsigned char *copy = malloc(i->n);

	assert_non_null(copy);
	for (int r = 0; r < rounds; r++) {
		memcpy(copy, i->bytes, i->n);
		for (int k = 1 + rand() % 4; k > 0; k--) {
			unsigned char *b = &copy[from + (size_t)rand() % n];

			*b = rand() % 2 ? (unsigned char)rand()
					: *b ^ (unsigned char)(1 << rand() % 8);
		}
		ask(x, copy, i->n, i->make);
	}
	free(copy);
}

/* libdw would read on behind the section; only a sanitizer, or bad luck, shows it. */
static void strings_without_an_end_do_no_harm(void **state)
{
	static const char *const names[] = { ".debug_str", ".debug_line_str" };
	struct fixture *x = *state;
	struct image i = compile(x, "-gdwarf-5");
	size_t offset, size;

	for (size_t k = 0; k < 2; k++) {
		assert_true(section(&i, names[k], &offset, &size));
		memset(i.bytes + offset + size / 2, 'x', size - size / 2);
		ask(x, i.bytes, i.n, i.make);
	}
	free(i.bytes);
}

/* The same for a string given by its number that begins where the section ends. */
static void strings_that_begin_at_the_end_do_no_harm(void **state)
{
	struct fixture *x = *state;

	if (!have("clang"))
		skip();
	struct image i = compile_by(x, "clang", "-gdwarf-5");
	size_t offset, size, strings;

	assert_true(section(&i, ".debug_str", &offset, &strings));
	assert_true(section(&i, ".debug_str_offsets", &offset, &size));
	/* 8 bytes before the first one */
	for (size_t at = offset + 8; at < offset + size; at += 4)
		memcpy(i.bytes + at, &(uint32_t){(uint32_t)strings}, 4);
	ask(x, i.bytes, i.n, i.make);
	free(i.bytes);
}

static void flip_everywhere(struct fixture *x, const char *flags)
{
	static const char *const names[] = { ".debug_info", ".debug_abbrev", ".debug_line",
					     ".debug_rnglists",
					     ".debug_ranges", ".debug_str", ".eh_frame", ".symtab",
					     ".strtab", ".dynsym", ".debug_types" };
	struct image i = compile(x, flags);
	size_t offset, size;

	srand(7);
	flip(x, &i, 0, i.n, 60);
	flip(x, &i, 0, sizeof(Elf64_Ehdr), 30);
	flip(x, &i, i.n - 40 * sizeof(Elf64_Shdr), 40 * sizeof(Elf64_Shdr), 60);
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (section(&i, names[k], &offset, &size))
			flip(x, &i, offset, size, 60);
	free(i.bytes);
}

static void wrong_bytes_do_no_harm_dwarf5(void **state)
{
	flip_everywhere(*state, "-gdwarf-5");
}

static void wrong_bytes_do_no_harm_dwarf4(void **state)
{
	flip_everywhere(*state, "-gdwarf-4 -fdebug-types-section");
}

static void wrong_bytes_do_no_harm_without_dwarf(void **state)
{
	flip_everywhere(*state, "");
}

static void wrong_bytes_do_no_harm_with_compressed_sections(void **state)
{
	flip_everywhere(*state, "-gz -g");
}

static const char nested[] =
	"	.text\n"
	"f:	nop\n"
	"g:	nop\n"
	"e:	.section .debug_abbrev,\"\",@progbits\n"
	"	.uleb128 1, 0x11\n	.byte 1\n" /* compile_unit, has children */
	"	.uleb128 0x11, 0x01, 0x12, 0x01, 0, "
	"0\n" /* low_pc, high_pc: addresses */
	"	.uleb128 2, 0x2e\n	.byte 1\n" /* subprogram */
	"	.uleb128 0x11, 0x01, 0x12, 0x01, 0x03, 0x08, 0, 0\n"
	"	.uleb128 3, 0x1d\n	.byte 1\n" /* inlined_subroutine */
	"	.uleb128 0x11, 0x01, 0x12, 0x01, 0, 0\n"
	"	.uleb128 4, 0x0b\n	.byte 1\n	.uleb128 0, 0\n" /* lexical_block */
	"	.uleb128 5, 0x13\n	.byte 1\n" /* structure_type */
	"	.uleb128 0x03, 0x08, 0x0b, 0x0b, 0, 0\n"
	"	.uleb128 6, 0x0b\n	.byte 1\n	.uleb128 0x01, 0x13, 0, "
	"0\n" /* lexical_block: sibling */
	"	.byte 0\n"
	"	.section .debug_info,\"\",@progbits\n"
	"cu:	.long 2f - 1f\n1:	.value 4\n	.long 0\n	.byte 8\n"
	"	.uleb128 1\n	.quad f, e\n";

/* More nested blocks, inlined functions and structures than any stack could hold. */
static void deep_nesting_does_no_harm(void **state)
{
	struct fixture *x = *state;
	char text[4096];
	struct sym_type *types;
	size_t n;

	snprintf(text, sizeof text, "%s%s", nested,
		 "	.uleb128 2\n	.quad f, g\n	.asciz \"deep\"\n"
		 "	.rept 300\n	.uleb128 3\n	.quad f, g\n	.endr\n"
		 "	.fill 301, 1, 0\n"
		 "	.uleb128 2\n	.quad g, e\n	.asciz \"blocks\"\n"
		 "	.fill 1000000, 1, 4\n"
		 "	.rept 100000\n	.byte 5, 's', 0, 1\n	.endr\n"
		 "2:	.section .note.GNU-stack,\"\",@progbits\n");
	write_file(x, "deep.S", text);
	sh(x, "gcc -shared -nostdlib deep.S -o deep");
	int m = load(x, "deep");
	struct sym_frames frames = look(x, m, nm(x, "deep", "f"), false);

	assert_string_equal(frames.frames[0].name, "deep");
	assert_int_equal(frames.n, 257);
	assert_string_equal(look(x, m, nm(x, "deep", "g"), false).frames[0].name, "blocks");
	assert_int_equal(symbols_types(x->s, m, want_all, NULL, &types, &n), 0);
	free(types);
}

/* DW_AT_sibling of each block is the first one, or (2^40 paths) the block inside it. */
static void siblings_that_lead_astray_do_no_harm(void **state)
{
	static const char *const blocks[] = { "first:	.rept 40\n	.byte 6\n	.long "
					      "first - cu\n"
					      "	.byte 0\n	.endr\n",
					      "	.rept 40\n	.byte 6\n	.long . + 4 - cu\n"
					      "	.endr\n" };
	struct fixture *x = *state;
	char text[4096];
	struct sym_type *types;
	size_t n;

	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof text, "%s%s%s%s", nested,
			 "	.uleb128 2\n	.quad f, e\n	.asciz \"astray\"\n", blocks[i],
			 "	.fill 60, 1, 0\n"
			 "2:	.section .note.GNU-stack,\"\",@progbits\n");
		write_file(x, "astray.S", text);
		sh(x, "gcc -shared -nostdlib astray.S -o astray");
		int m = load(x, "astray");

		assert_string_equal(look(x, m, nm(x, "astray", "f"), false).frames[0].name,
				    "astray");
		assert_int_equal(symbols_types(x->s, m, want_all, NULL, &types, &n), 0);
		free(types);
	}
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(files_that_are_no_elf_have_no_names),
		T(a_folder_or_a_device_has_no_names),
		T(an_object_file_or_a_32_bit_program_does_no_harm),
		T(files_cut_short_anywhere_do_no_harm),
		T(a_file_cut_short_after_it_was_opened_does_no_harm),
		T(strings_without_an_end_do_no_harm),
		T(strings_that_begin_at_the_end_do_no_harm),
		T(wrong_bytes_do_no_harm_dwarf5),
		T(wrong_bytes_do_no_harm_dwarf4),
		T(wrong_bytes_do_no_harm_without_dwarf),
		T(wrong_bytes_do_no_harm_with_compressed_sections),
		T(deep_nesting_does_no_harm),
		T(siblings_that_lead_astray_do_no_harm),
	};

	/* A hang is a failure too. */
	alarm(300);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
