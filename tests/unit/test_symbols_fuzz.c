/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Generated damage, the same in every run: each file that names may come from (a program, its debug
 * file, .dwo, .dwp, what dwz(1) and MiniDebugInfo add) is changed in a few bytes of its headers and
 * of each section that is read. Each look-up must return a frame, and nothing may crash or run for
 * ever: most useful with SAN=address,undefined. FUZZ=100 makes it a hundred times as long.
 */
#include "unit/test_symbols_fixture.h"
#include "lib/random.h"

#include "symbols/cfi.h"
#include "symbols/cfirows.h"

#include <elf.h>

static const char source[] =
"#include <cstdlib>\n"
"namespace shop { template <class T> struct box { T t; union { long l; char c[24]; } u; box "
"*next;\n"
"	struct label { char text[40]; }; void fill(int n) { for (int i = 0; i < n; i++) u.c[i % "
"24] = 1; } }; }\n"
"namespace { struct hidden { int v[9]; }; typedef struct { char c[77]; } nameless; }\n"
"volatile int sink;\n"
"static inline __attribute__((always_inline)) void inner(int n) { sink += n; }\n"
"static inline __attribute__((always_inline)) void outer(int n) { inner(n); inner(n + 1); }\n"
"__attribute__((noinline)) void *make(int n) { struct local { char c[40]; } l = { { 0 } };\n"
"	auto *p = new shop::box<hidden>(); p->fill(n); outer(n + l.c[sink & 1]);\n"
"	{ auto f = [&](int k) { sink += k; return new nameless(); }; sink += f(n)->c[3]; }\n"
"	return p; }\n"
"int main(int argc, char **argv) { (void)argv; shop::box<int>::label l; l.text[0] = 1;\n"
"	free(make(argc + l.text[0])); return 0; }\n";

struct bytes {
	unsigned char *v;
	size_t n;
};

static uint32_t number(void)
{
	return (uint32_t)(random_word() >> 32);
}

static struct bytes read_bytes(struct fixture *x, const char *name)
{
	struct stat st;
	struct bytes b;
	FILE *f = fopen(in_dir(x, name), "re");

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	b.n = (size_t)st.st_size;
	b.v = malloc(b.n + 1);
	assert_non_null(b.v);
	assert_int_equal(fread(b.v, 1, b.n, f), b.n);
	fclose(f);
	return b;
}

static void write_bytes(struct fixture *x, const char *name, const struct bytes *b)
{
	FILE *f = fopen(in_dir(x, name), "we");

	assert_non_null(f);
	assert_int_equal(fwrite(b->v, 1, b->n, f), b->n);
	assert_int_equal(fclose(f), 0);
}

static bool want_all(uint64_t size, void *ctx)
{
	(void)size, (void)ctx;
	return true;
}

static void ask_for_frames(struct fixture *x, const char *name)
{
	struct objfile o;
	struct fdes t = { 0 };
	struct debug_frame d = { 0 };
	struct cfi_rows rows = { 0 };

	if (objfile_open_path(&o, in_dir(x, name)))
		return;
	assert_int_equal(fdes_read(&t, &o), 0);
	assert_int_equal(debug_frame_read(&d, &o), 0);
	for (size_t i = 0; i < d.fdes.n; i++)
		assert_true(d.fdes.v[i].offset < d.n && d.fdes.v[i].start < d.fdes.v[i].end);
	fdes_release(&t);
	debug_frame_release(&d);
	assert_int_equal(cfirows_read(&rows, &o), 0);
	for (size_t i = 1; i < rows.n; i++)
		assert_true(rows.v[i].pc > rows.v[i - 1].pc);
	cfirows_release(&rows);
	objfile_close(&o);
}

/* Ask all there is to ask of ./prog. */
static void ask(struct fixture *x, uint64_t around)
{
	const char *dirs[] = { x->dir, NULL };
	struct symbols *s = symbols_new();
	struct sym_type *types;
	struct sym_frames f;
	size_t n_types;
	int fd = open(in_dir(x, "prog"), O_RDONLY | O_CLOEXEC);

	assert_non_null(s);
	assert_true(fd >= 0);
	symbols_set_search(s, &(struct symbols_search){ .debug_dirs = dirs });
	int m = symbols_add_module(s, in_dir(x, "prog"), fd);

	close(fd);
	assert_int_equal(m, 0);
	assert_non_null(symbols_build_id(s, m));
	assert_non_null(symbols_source(s, m));
	for (uint64_t pc = around - 8; pc < around + 120; pc += 8) {
		assert_int_equal(symbols_lookup(s, m, pc, pc & 8, &f), 0);
		assert_true(f.n >= 1 && !f.frames[0].inlined);
		for (size_t i = 0; i < f.n; i++)
			assert_true(*f.frames[i].name && *f.frames[i].linkage);
	}
	assert_int_equal(symbols_types(s, m, want_all, NULL, &types, &n_types), 0);
	for (size_t i = 1; i < n_types; i++)
		assert_true(types[i].size >= types[i - 1].size);
	free(types);
	symbols_free(s);
	ask_for_frames(x, "prog");
}

/* A few bytes of [from, from + n) get another value, one that is near, or one that is often
 * special. */
static void damage(unsigned char *v, size_t n)
{
	static const unsigned char special[] = { 0, 1, 0x7f, 0x80, 0xfe, 0xff };

	for (uint32_t k = 1 + number() % 4; n && k > 0; k--) {
		unsigned char *b = &v[number() % n];

		switch (number() % 4) {
		case 0:
			*b = (unsigned char)number();
			break;
		case 1:
			*b ^= (unsigned char)(1 << number() % 8);
			break;
		case 2:
			*b = special[number() % sizeof special];
			break;
		default:
			*b = (unsigned char)(*b + (number() % 2 ? 1 : -1));
		}
	}
}

static void damage_part(struct fixture *x, const char *name, const struct bytes *whole, size_t from,
			size_t n, int rounds, uint64_t around)
{
	const char *times = getenv("FUZZ");
	struct bytes copy = { malloc(whole->n + 1), whole->n };

	assert_non_null(copy.v);
	if (from >= whole->n)
		n = 0;
	else if (n > whole->n - from)
		n = whole->n - from;
	for (rounds *= times ? atoi(times) : 1; n && rounds > 0; rounds--) {
		memcpy(copy.v, whole->v, whole->n);
		damage(copy.v + from, n);
		write_bytes(x, name, &copy);
		ask(x, around);
	}
	free(copy.v);
}

static bool is_read(const char *section)
{
	static const char *const names[] = { ".debug_", ".eh_frame", ".symtab", ".strtab", ".dyn",
					     ".note.gnu",
					     ".gnu_debug", ".shstrtab" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(section, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Damage @name, a file that asking about ./prog leads to, and put it back. */
static void fuzz(struct fixture *x, const char *name, uint64_t around)
{
	struct bytes b = read_bytes(x, name);
	const Elf64_Ehdr *eh = (const void *)b.v;
	const Elf64_Shdr *sh = (const void *)(b.v + eh->e_shoff);
	int sections = 0;

	ask(x, around);
	damage_part(x, name, &b, 0, sizeof *eh, 10, around);
	damage_part(x, name, &b, eh->e_phoff, eh->e_phnum * sizeof(Elf64_Phdr), 10, around);
	damage_part(x, name, &b, eh->e_shoff, eh->e_shnum * sizeof *sh, 40, around);
	for (int i = 0; i < eh->e_shnum; i++) {
		const char *s = (const char *)b.v + sh[eh->e_shstrndx].sh_offset + sh[i].sh_name;

		if (!is_read(s) || sh[i].sh_type == SHT_NOBITS)
			continue;
		sections++;
		damage_part(x, name, &b, sh[i].sh_offset, sh[i].sh_size, 12, around);
		/* lengths and versions stand at the beginning */
		damage_part(x, name, &b, sh[i].sh_offset, 24, 4, around);
	}
	assert_true(sections > 3);
	for (int i = 0; i < 5; i++) {
		struct bytes cut = { b.v, number() % b.n };

		write_bytes(x, name, &cut);
		ask(x, around);
	}
	write_bytes(x, name, &b);
	free(b.v);
}

/* ./prog of one unit; returns the address of make() */
static uint64_t compile(struct fixture *x, const char *compiler, const char *flags)
{
	write_file(x, "prog.cc", source);
	sh(x, "%s -std=gnu++17 -O2 %s -Wl,--build-id prog.cc -o prog", compiler, flags);
	random_state = UINT64_C(0x9e3779b97f4a7c15);
	return nm(x, "prog", "_Z4makei");
}

static void programs_with_dwarf_5_and_4(void **state)
{
	fuzz(*state, "prog", compile(*state, "g++", "-gdwarf-5"));
	fuzz(*state, "prog", compile(*state, "g++", "-gdwarf-4 -fdebug-types-section"));
}

static void programs_of_clang(void **state)
{
	if (!have("clang++"))
		skip();
	fuzz(*state, "prog", compile(*state, "clang++", "-gdwarf-5 -gdwarf-aranges"));
}

static void programs_with_compressed_sections(void **state)
{
	fuzz(*state, "prog", compile(*state, "g++", "-g -gz"));
}

static void programs_with_debug_frame_only(void **state)
{
	fuzz(*state, "prog",
	     compile(*state, "g++", "-g -fno-exceptions -fno-asynchronous-unwind-tables"));
}

static void split_dwarf(void **state)
{
	struct fixture *x = *state;
	uint64_t around = compile(x, "g++", "-g -gsplit-dwarf");

	fuzz(x, "prog", around);
	sh(x, "mv *.dwo prog.dwo.new && mv prog.dwo.new \"$(readelf --debug-dump=info prog "
	      "2>/dev/null | sed -n 's/.*DW_AT_dwo_name.*: //p' | head -n 1)\" && ls *.dwo >dwo");
	struct bytes name = read_bytes(x, "dwo");

	name.v[name.n - 1] = '\0';
	fuzz(x, (const char *)name.v, around);
	free(name.v);
}

static void packed_split_dwarf(void **state)
{
	struct fixture *x = *state;

	if (!have("dwp"))
		skip();
	uint64_t around = compile(x, "g++", "-gdwarf-4 -gsplit-dwarf");

	sh(x, "dwp -e prog -o prog.dwp && rm *.dwo");
	fuzz(x, "prog.dwp", around);
}

static void what_dwz_leaves(void **state)
{
	struct fixture *x = *state;

	if (!have("dwz"))
		skip();
	uint64_t around = compile(x, "g++", "-g");

	sh(x, "cp prog second && dwz -m common prog second && "
	      "readelf -SW prog | grep -q gnu_debugaltlink");
	fuzz(x, "prog", around);
	fuzz(x, "common", around);
}

static void separate_debug_files(void **state)
{
	struct fixture *x = *state;
	uint64_t around = compile(x, "g++", "-g");

	sh(x, "objcopy --only-keep-debug prog prog.debug && strip prog && "
	      "objcopy --add-gnu-debuglink=prog.debug prog");
	fuzz(x, "prog.debug", around);
	fuzz(x, "prog", around);
}

static void minidebuginfo(void **state)
{
	struct fixture *x = *state;

	if (!have("xz"))
		skip();
	uint64_t around = compile(x, "g++", "");

	sh(x, "objcopy -S --keep-symbol=_Z4makei --keep-symbol=main prog mini && strip prog && xz "
	      "-k mini && objcopy --add-section .gnu_debugdata=mini.xz prog && rm mini mini.xz");
	fuzz(x, "prog", around);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(programs_with_dwarf_5_and_4),
		T(programs_of_clang),
		T(programs_with_compressed_sections),
		T(programs_with_debug_frame_only),
		T(split_dwarf),
		T(packed_split_dwarf),
		T(what_dwz_leaves),
		T(separate_debug_files),
		T(minidebuginfo),
	};
	const char *times = getenv("FUZZ");

	/* A hang is a failure too. */
	alarm(300 * (times ? (unsigned)atoi(times) : 1));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
