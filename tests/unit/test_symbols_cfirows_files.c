/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of whole files: with an index and without, with .debug_frame, and damaged. FUZZ=100
 * makes the last a hundred times as long.
 */
#include "unit/test_symbols_fixture.h"

#include "arch/arch.h"
#include "lib/random.h"
#include "symbols/cfi.h"
#include "symbols/cfirows.h"

#include <elf.h>
#include <sys/mman.h>

static const char source[] =
	"#include <alloca.h>\n"
	"#include <string.h>\n"
	"volatile int sink;\n"
	"__attribute__((noinline)) void fill(char *p, int n) { memset(p, n, (size_t)n); }\n"
	"__attribute__((noinline)) int plain(int n) { char b[64]; fill(b, n & 63);\n"
	"	return b[n & 7]; }\n"
	"__attribute__((noinline)) int moving(int n) { char *b = alloca((size_t)n); fill(b, n);\n"
	"	return b[0] + plain(n); }\n"
	"__attribute__((noinline)) int large(int n) { char b[200000]; fill(b, n); return b[n]; }\n"
	"int main(int argc, char **argv) { (void)argv; sink = moving(argc) + large(argc); }\n";

struct image {
	unsigned char *v;
	size_t n;
};

static struct image read_image(struct fixture *x, const char *name)
{
	struct stat st;
	struct image im;
	FILE *f = fopen(in_dir(x, name), "re");

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	im.n = (size_t)st.st_size;
	im.v = malloc(im.n);
	assert_non_null(im.v);
	assert_int_equal(fread(im.v, 1, im.n, f), im.n);
	fclose(f);
	return im;
}

static struct image copy_image(const struct image *im)
{
	struct image copy = { malloc(im->n), im->n };

	assert_non_null(copy.v);
	memcpy(copy.v, im->v, im->n);
	return copy;
}

/* The rows of a file that has these bytes, none if it is no ELF file any more; @im is freed. */
static struct cfi_rows rows_of(struct image im)
{
	struct cfi_rows t = { 0 };
	struct objfile o;
	int fd = memfd_create("image", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, im.v, im.n), im.n);
	free(im.v);
	if (!objfile_open(&o, fd))
		assert_int_equal(cfirows_read(&t, &o), 0);
	objfile_close(&o);
	return t;
}

static Elf64_Ehdr *ehdr(const struct image *im)
{
	return (Elf64_Ehdr *)im->v;
}

static Elf64_Phdr *phdr(const struct image *im, uint32_t type, uint32_t flags)
{
	Elf64_Phdr *ph = (Elf64_Phdr *)(im->v + ehdr(im)->e_phoff);

	for (int i = 0; i < ehdr(im)->e_phnum; i++)
		if (ph[i].p_type == type && (ph[i].p_flags & flags) == flags)
			return &ph[i];
	fail_msg("the file has no segment %u", type);
	return NULL;
}

static uint32_t *header(const struct image *im)
{
	return (uint32_t *)(im->v + phdr(im, PT_GNU_EH_FRAME, 0)->p_offset);
}

static void assert_same(const struct cfi_rows *a, const struct cfi_rows *b)
{
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->functions, b->functions);
	assert_int_equal(a->skipped, b->skipped);
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		assert_memory_equal(&a->v[i], &b->v[i], sizeof *a->v);
}

static struct image compile(struct fixture *x, const char *flags)
{
	write_file(x, "prog.c", source);
	sh(x, "gcc -O2 %s prog.c -o prog", flags);
	return read_image(x, "prog");
}

/* Whatever is wrong with the index: then there is none. */
static void without_an_index(void **state)
{
	struct image im = compile(*state, ""), copy;
	struct cfi_rows t = rows_of(copy_image(&im)), other;

	assert_true(t.functions > 5 && t.n > t.functions);
	for (int wrong = 0; wrong < 7; wrong++) {
		copy = copy_image(&im);
		switch (wrong) {
		case 0:		/* another version */
			header(&copy)[0]++;
			break;
		case 1:		/* .eh_frame is nowhere */
			header(&copy)[1] = 0x7fffffff;
			break;
		case 2:		/* more entries than there is room for */
			header(&copy)[2]++;
			break;
		case 3:		/* none */
			header(&copy)[2] = 0;
			break;
		case 4:		/* not in order */
			header(&copy)[4] = header(&im)[6];
			header(&copy)[6] = header(&im)[4];
			break;
		case 5:		/* it is cut off */
			phdr(&copy, PT_GNU_EH_FRAME, 0)->p_filesz = 8;
			break;
		default:	/* it is behind the end of the file */
			phdr(&copy, PT_GNU_EH_FRAME, 0)->p_offset = im.n;
		}
		other = rows_of(copy);
		assert_same(&t, &other);
		cfirows_release(&other);
	}
	cfirows_release(&t);
	free(im.v);
}

/* The index is what the program itself uses: section headers may have been removed. */
static void without_sections(void **state)
{
	struct image im = compile(*state, ""), copy = copy_image(&im);
	struct cfi_rows t = rows_of(copy_image(&im)), other;

	ehdr(&copy)->e_shoff = 0;
	ehdr(&copy)->e_shnum = 0;
	ehdr(&copy)->e_shstrndx = 0;
	other = rows_of(copy);
	assert_same(&t, &other);
	cfirows_release(&other);
	/* and without both there is nothing */
	copy = copy_image(&im);
	ehdr(&copy)->e_shoff = 0;
	ehdr(&copy)->e_shnum = 0;
	ehdr(&copy)->e_shstrndx = 0;
	header(&copy)[0]++;
	other = rows_of(copy);
	assert_int_equal(other.functions, 0);
	assert_int_equal(cfirows_find(&other, other.start)->cfa, UNWIND_CFA_NONE);
	cfirows_release(&other);
	cfirows_release(&t);
	free(im.v);
}

/* The rows of a function, told from its beginning, as text. */
static char *text_of(struct fixture *x, const struct cfi_rows *t, const char *name)
{
	uint64_t start = nm(x, "prog", name);
	const struct unwind_row *r = cfirows_find(t, start);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_non_null(r);
	for (; r < t->v + t->n && r->cfa != UNWIND_CFA_NONE; r++) {
		uint64_t pc = t->start + r->pc;

		if (pc > start + 4096)
			break;
		fprintf(f, "%d: %x %x\n", pc < start ? 0 : (int)(pc - start), r->cfa, r->fp);
	}
	fclose(f);
	return text;
}

/* The program's own units have only .debug_frame, while its start code has .eh_frame. */
static void code_that_only_debug_frame_describes(void **state)
{
	static const char *const functions[] = { "plain", "moving", "large", "main" };
	static const char flags[] = "-g -fno-ipa-icf -falign-functions=64 -fcf-protection=none";
	char *with[4], all[256];
	struct cfi_rows t = rows_of(compile(*state, flags));

	for (size_t i = 0; i < 4; i++) {
		with[i] = text_of(*state, &t, functions[i]);
		assert_true(strlen(with[i]) > 8);
	}
	cfirows_release(&t);
	snprintf(all, sizeof all, "%s -fno-asynchronous-unwind-tables", flags);
	for (int compressed = 0; compressed < 2; compressed++) {
		t = rows_of(compile(*state, all));
		sh(*state, "readelf -SW prog | grep -q '\\.debug_frame' && readelf -SW prog | "
			   "grep -q '\\.eh_frame'");
		for (size_t i = 0; i < 4; i++) {
			char *without = text_of(*state, &t, functions[i]);

			assert_string_equal(without, with[i]);
			free(without);
		}
		cfirows_release(&t);
		strcat(all, " -gz");
	}
	for (size_t i = 0; i < 4; i++)
		free(with[i]);
}

static void files_of_other_machines(void **state)
{
	struct image im = compile(*state, ""), copy = copy_image(&im);
	struct cfi_rows t;

	ehdr(&copy)->e_machine = EM_AARCH64;
	t = rows_of(copy);
	assert_int_equal(t.n, 0);
	assert_null(cfirows_find(&t, 0x1000));
	copy = copy_image(&im);
	ehdr(&copy)->e_ident[EI_DATA] = ELFDATA2MSB;
	t = rows_of(copy);
	assert_int_equal(t.n, 0);
	/* and of code that none of it is about */
	copy = copy_image(&im);
	phdr(&copy, PT_LOAD, PF_X)->p_flags = PF_R;
	t = rows_of(copy);
	assert_int_equal(t.n, 0);
	free(im.v);
}

/* Whatever size a file claims for its code costs nothing. */
static void code_that_is_said_to_be_large(void **state)
{
	struct image im = compile(*state, ""), copy = copy_image(&im);
	struct cfi_rows t = rows_of(copy_image(&im)), other;

	phdr(&copy, PT_LOAD, PF_X)->p_memsz = UINT64_C(1) << 60;
	other = rows_of(copy);
	assert_int_equal(other.end - other.start, UINT32_MAX);
	assert_true(other.n_blocks < 4 * other.n + 64);
	for (size_t i = 0; i < t.n; i++)
		assert_memory_equal(cfirows_find(&other, t.start + t.v[i].pc), &t.v[i],
				    sizeof *t.v);
	cfirows_release(&other);
	copy = copy_image(&im);
	phdr(&copy, PT_LOAD, PF_X)->p_memsz = UINT64_MAX;
	other = rows_of(copy);
	assert_int_equal(other.n, 0);
	cfirows_release(&t);
	free(im.v);
}

static void damage_part(const struct image *im, uint64_t from, uint64_t n, long rounds)
{
	const char *times = getenv("FUZZ");

	assert_true(from < im->n && n && n <= im->n - from);
	for (rounds *= times ? atol(times) : 1; rounds > 0; rounds--) {
		struct image copy = copy_image(im);

		for (uint64_t k = 1 + random_below(4); k > 0; k--)
			copy.v[from + random_below(n)] = (unsigned char)random_word();
		struct cfi_rows t = rows_of(copy);

		for (size_t i = 1; i < t.n; i++)
			assert_true(t.v[i].pc > t.v[i - 1].pc);
		assert_true(t.n <= 4 * im->n && (!t.n || t.n_blocks <= 4 * t.n + 64));
		cfirows_release(&t);
	}
}

static void damaged_files(void **state)
{
	struct image im = compile(*state, "-g -fno-asynchronous-unwind-tables");
	const Elf64_Ehdr *eh = ehdr(&im);
	const Elf64_Shdr *sections = (Elf64_Shdr *)(im.v + eh->e_shoff);
	unsigned read = 0;

	damage_part(&im, 0, sizeof *eh, 2000);
	damage_part(&im, eh->e_phoff, eh->e_phnum * sizeof(Elf64_Phdr), 4000);
	damage_part(&im, eh->e_shoff, eh->e_shnum * sizeof *sections, 2000);
	for (unsigned i = 0; i < eh->e_shnum; i++) {
		const char *name = (const char *)im.v + sections[eh->e_shstrndx].sh_offset +
				   sections[i].sh_name;

		if (strcmp(name, ".eh_frame") && strcmp(name, ".eh_frame_hdr") &&
		    strcmp(name, ".debug_frame"))
			continue;
		damage_part(&im, sections[i].sh_offset, sections[i].sh_size, 4000);
		read++;
	}
	assert_int_equal(read, 3);
	free(im.v);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(without_an_index),
		T(without_sections),
		T(code_that_only_debug_frame_describes),
		T(files_of_other_machines),
		T(code_that_is_said_to_be_large),
		T(damaged_files),
	};
	const char *times = getenv("FUZZ");

	/* A hang is a failure, too. */
	alarm(300 * (times ? (unsigned)atoi(times) : 1));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
