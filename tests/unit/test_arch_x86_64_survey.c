/* SPDX-License-Identifier: BSD-2-Clause */
/* How many functions of real allocators can have a jump in the place of their first
 * instructions. */
#include "unit/unit.h"
#include "arch/patch.h"
#include "probes/probes.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIB	 "/usr/lib/x86_64-linux-gnu/"
#define SEEN_MAX 512

struct library {
	const char *path;
	unsigned least;	  /* functions that can be expected to be found */
	unsigned refused; /* of them at most, all for a call */
};

/* What Debian 12 has; of other releases nothing is known but that there are some. */
static const struct library libraries[] = {
	{ LIB "libc.so.6", 9, 0 },
	{ "/usr/lib/x86_64-linux-musl/libc.so", 9, 0 },
	{ LIB "libjemalloc.so.2", 20, 0 },
	{ LIB "libtcmalloc.so.4", 10, 0 },
	{ LIB "libtcmalloc_minimal.so.4", 10, 0 },
	{ LIB "libmimalloc.so.2", 40, 5 },
	{ LIB "libgc.so.1", 20, 0 },
};

struct survey {
	uint64_t seen[SEEN_MAX];
	unsigned n, planned, refused_calls, longest, with_endbr;
	char refused[2048];
};

/* Those that an agent could tell of: their arguments are in registers, and nothing throws through
 * them. */
static bool is_of_interest(const struct probe *p)
{
	if (p->kind != PROBE_ALLOC && p->kind != PROBE_REALLOC && p->kind != PROBE_FREE)
		return false;
	return p->string_arg == NO_ARG && p->limit_arg == NO_ARG && p->pool_arg == NO_ARG &&
	       p->label_arg == NO_ARG && p->next_arg == NO_ARG &&
	       !(p->kind == PROBE_ALLOC && p->operator_new);
}

static bool is_new(struct survey *s, uint64_t address)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->seen[i] == address)
			return false;
	assert_in_range(s->n, 0, SEEN_MAX - 1);
	s->seen[s->n++] = address;
	return true;
}

/* The bytes of a file's code from an address on; NULL: there is no code. */
static const uint8_t *code_at(Elf *elf, uint64_t address, size_t *len)
{
	size_t n, size;
	const char *raw = elf_rawfile(elf, &size);

	if (!raw || elf_getphdrnum(elf, &n))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X) || address < ph.p_vaddr ||
		    address - ph.p_vaddr >= ph.p_filesz || ph.p_offset + ph.p_filesz > size)
			continue;
		*len = ph.p_filesz - (address - ph.p_vaddr);
		return (const uint8_t *)raw + ph.p_offset + (address - ph.p_vaddr);
	}
	return NULL;
}

static void look_at(struct survey *s, Elf *elf, const char *name, const GElf_Sym *sym)
{
	size_t len, used = strlen(s->refused);
	const uint8_t *code = code_at(elf, sym->st_value, &len);
	struct arch_patch p;
	const char *why;

	if (!code || !is_new(s, sym->st_value))
		return;
	if (!arch_patch_plan(code, len, sym->st_size, &p, &why)) {
		s->planned++;
		s->with_endbr += p.skip != 0;
		s->longest = p.size > s->longest ? p.size : s->longest;
		return;
	}
	s->refused_calls += strcmp(why, "a call among its first instructions") == 0;
	snprintf(s->refused + used, sizeof s->refused - used, "%s%s (%s)", used ? ", " : "", name,
		 why);
}

static void look_at_symbols(struct survey *s, Elf *elf, Elf_Scn *section,
			    const struct probes *probes)
{
	GElf_Shdr sh;
	Elf_Data *data = elf_getdata(section, NULL);

	if (!data || !gelf_getshdr(section, &sh) || sh.sh_type != SHT_DYNSYM)
		return;
	for (size_t i = 0; i < sh.sh_size / sh.sh_entsize; i++) {
		GElf_Sym sym;
		const char *name;

		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF ||
		    GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
		    !(name = elf_strptr(elf, sh.sh_link, sym.st_name)))
			continue;
		uint32_t probe = probes_named(probes, name);
		if (probe != IDINDEX_NONE && is_of_interest(&probes->v[probe]))
			look_at(s, elf, name, &sym);
	}
}

/* False: the library is not here. */
static bool survey(struct survey *s, const char *path, const struct probes *probes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Elf_Scn *section = NULL;

	*s = (struct survey){0};
	while (elf && (section = elf_nextscn(elf, section)))
		look_at_symbols(s, elf, section, probes);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return elf;
}

static void the_functions_of_real_allocators_can_be_patched(void **state)
{
	struct probes probes = { 0 };
	unsigned there = 0;

	(void)state;
	elf_version(EV_CURRENT);
	assert_int_equal(probes_add_builtin(&probes, false, NULL), 0);
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		const struct library *l = &libraries[i];
		struct survey s;

		if (!survey(&s, l->path, &probes)) {
			print_message("# not looked at: %s is not there\n", l->path);
			continue;
		}
		there++;
		print_message("# %s: %u of %u, %u with endbr64, at most %u bytes%s%s\n",
			      strrchr(l->path, '/') + 1, s.planned, s.n, s.with_endbr, s.longest,
			      s.refused[0] ? "; refused: " : "", s.refused);
		assert_in_range(s.n, l->least, SEEN_MAX);
		assert_int_equal(s.planned + s.refused_calls, s.n);
		assert_in_range(s.refused_calls, 0, l->refused);
	}
	probes_release(&probes);
	assert_in_range(there, 1, sizeof libraries / sizeof *libraries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_functions_of_real_allocators_can_be_patched),
	};

	return cmocka_run_group_tests_name("arch_survey", tests, NULL, NULL);
}
