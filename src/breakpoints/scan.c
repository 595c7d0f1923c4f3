/* SPDX-License-Identifier: BSD-2-Clause */
#include "breakpoints/scan.h"

#include "base/array.h"
#include "breakpoints/requests.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

void scans_release(struct scans *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->of[i].probes);
		free(s->of[i].ranges);
		free(s->of[i].soname);
	}
	free(s->of);
	*s = (struct scans){ 0 };
}

static bool is_housekeeping(const char *name)
{
	return !strcmp(name, "tcache_thread_shutdown") ||
	       !strcmp(name, "__malloc_arena_thread_freeres") ||
	       !strcmp(name, "__libc_thread_freeres");
}

static int add_range(struct scan *s, const GElf_Sym *sym, enum scan_range_kind kind)
{
	if (ARRAY_RESERVE(&s->ranges, &s->cap_ranges, s->n_ranges))
		return -ENOMEM;
	s->ranges[s->n_ranges++] =
		(struct scan_range){ sym->st_value, sym->st_value + sym->st_size, kind };
	return 0;
}

static int add_probe(struct scan *s, uint64_t address, uint32_t probe)
{
	for (size_t i = 0; i < s->n_probes; i++) {
		if (s->probes[i].address != address)
			continue;
		if (probe < s->probes[i].probe)
			s->probes[i].probe = probe;
		return 0;
	}
	if (ARRAY_RESERVE(&s->probes, &s->cap_probes, s->n_probes))
		return -ENOMEM;
	s->probes[s->n_probes++] = (struct scan_probe){ address, probe };
	return 0;
}

/* A function that a definition is about. */
static int add_function(struct scan *s, struct probes *probes, const GElf_Sym *sym, uint32_t number)
{
	struct probe *p = &probes->v[number];
	int err = 0;

	p->found = true;
	if ((p->operator_new && p->kind == PROBE_ALLOC) || p->kind == PROBE_LABEL || p->kind == PROBE_WRAPPER)
		err = add_range(s, sym, RANGE_WRAPPER);
	/* What the user says of an operator holds even where it is a forwarder. */
	if (err || p->kind == PROBE_WRAPPER || (p->operator_new && s->forwarder && !p->user))
		return err;
	return add_probe(s, sym->st_value, number);
}

static bool is_function(const GElf_Sym *sym)
{
	return GELF_ST_TYPE(sym->st_info) == STT_FUNC && sym->st_shndx != SHN_UNDEF && sym->st_value;
}

/* Of a .symtab beside a .dynsym: only what need not be exported. */
static int look_at_hidden(struct scan *s, struct probes *probes, const GElf_Sym *sym, const char *name)
{
	if (!is_function(sym))
		return 0;
	uint32_t number = probes_named(probes, name);
	if (number == IDINDEX_NONE)
		return 0;
	const struct probe *p = &probes->v[number];
	/* What a file keeps to itself may be called malloc and be anything. */
	bool global = s->program && GELF_ST_BIND(sym->st_info) != STB_LOCAL;
	if (p->user || p->kind >= PROBE_MALLOCLIKE || global)
		return add_function(s, probes, sym, number);
	return 0;
}

static int look_at_symbol(struct scan *s, struct probes *probes, const GElf_Sym *sym, const char *name)
{
	if (!is_function(sym))
		return 0;
	if (is_housekeeping(name))
		return add_range(s, sym, RANGE_HOUSEKEEPING);
	if (!strcmp(name, "_dl_debug_state"))
		s->rendezvous = sym->st_value;
	uint32_t number = probes_named(probes, name);
	return number == IDINDEX_NONE ? 0 : add_function(s, probes, sym, number);
}

typedef int symbol_fn(struct scan *s, struct probes *probes, const GElf_Sym *sym, const char *name);

static int look_at_table(struct scan *s, struct probes *probes, Elf *elf, Elf_Scn *scn,
			 const GElf_Shdr *sh, symbol_fn *look)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
	int err = 0;

	for (size_t i = 0; data && !err && i < n && i < INT32_MAX; i++) {
		GElf_Sym sym;
		if (!gelf_getsym(data, (int)i, &sym))
			break;
		const char *name = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (name)
			err = look(s, probes, &sym, name);
	}
	return err;
}

static int look_at_tables(struct scan *s, struct probes *probes, Elf *elf, GElf_Word type, bool *found,
			  symbol_fn *look)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int err = 0;

	*found = false;
	while (!err && (scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != type)
			continue;
		*found = true;
		err = look_at_table(s, probes, elf, scn, &sh, look);
	}
	return err;
}

struct request_place {
	struct scan *scan;
	uint64_t vaddr;
	uint32_t probe;
};

static int add_request(void *ctx, uint64_t at)
{
	const struct request_place *p = ctx;

	return add_probe(p->scan, p->vaddr + at, p->probe);
}

/* Code is addressed by 32 bits (psABI 3.5.1): a longer segment is made to keep us busy. */
#define LONGEST_CODE (UINT64_C(1) << 31)

/* Client requests have no names: they are told by their instructions. */
static int find_requests(struct scan *s, const struct probes *probes, Elf *elf, int fd)
{
	struct request_place place = { .scan = s, .probe = probes_of_kind(probes, PROBE_REQUEST) };
	size_t n = 0;
	GElf_Phdr ph;
	int err = 0;

	if (place.probe == IDINDEX_NONE || elf_getphdrnum(elf, &n))
		return 0;
	for (size_t i = 0; !err && i < n && i < INT32_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD || !(ph.p_flags & PF_X) ||
		    ph.p_filesz > LONGEST_CODE)
			continue;
		place.vaddr = ph.p_vaddr;
		err = requests_find(fd, ph.p_offset, ph.p_filesz, add_request, &place);
	}
	return err;
}

/* Where code is, and the rest of the page in which it ends; what the file has there, nobody runs. */
static void find_code(struct scan *s, Elf *elf)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		if (!s->code_end || ph.p_vaddr < s->code_start)
			s->code_start = ph.p_vaddr;
		if (ph.p_vaddr + ph.p_filesz > s->code_end)
			s->code_end = ph.p_vaddr + ph.p_filesz;
		if (ph.p_filesz != ph.p_memsz || (ph.p_flags & PF_W))
			continue;
		s->slack_start = (ph.p_vaddr + ph.p_filesz + 15) & ~15ULL;
		s->slack_end = (ph.p_vaddr + ph.p_filesz + 4095) & ~4095ULL;
	}
}

/* A program, not a library, asks for an interpreter. */
static bool is_program(Elf *elf)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n && i < INT32_MAX; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_INTERP)
			return true;
	return false;
}

/* What .dynamic says: DF_1_PIE and the library's own name. */
static void look_at_dynamic(struct scan *s, Elf *elf, bool *pie)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Dyn dyn;

	*pie = false;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_DYNAMIC || !sh.sh_entsize)
			continue;
		Elf_Data *data = elf_getdata(scn, NULL);
		for (size_t i = 0; data && i < sh.sh_size / sh.sh_entsize && i < INT32_MAX; i++) {
			if (!gelf_getdyn(data, (int)i, &dyn))
				break;
			const char *name = dyn.d_tag == DT_SONAME && !s->soname ?
						   elf_strptr(elf, sh.sh_link, dyn.d_un.d_val) : NULL;

			if (name)
				s->soname = strdup(name);
			if (dyn.d_tag == DT_FLAGS_1)
				*pie = dyn.d_un.d_val & DF_1_PIE;
		}
	}
}

static int look_at_elf(struct scan *s, struct probes *probes, Elf *elf, int fd)
{
	bool has_dynsym, has_symtab, pie;

	look_at_dynamic(s, elf, &pie);
	s->program = is_program(elf);
	s->forwarder = probes_forwards(probes, s->soname);
	int err = look_at_tables(s, probes, elf, SHT_DYNSYM, &has_dynsym, look_at_symbol);
	/* Linked to run at any address, but by itself (-static-pie): its .dynsym names nothing. */
	s->dynamic = has_dynsym && !(pie && !s->program);
	if (!err)
		err = look_at_tables(s, probes, elf, SHT_SYMTAB, &has_symtab,
				     s->dynamic ? look_at_hidden : look_at_symbol);
	if (!err)
		err = find_requests(s, probes, elf, fd);
	find_code(s, elf);
	return err;
}

static struct scan *slot_for(struct scans *s, const struct module_files *files, uint32_t number)
{
	if (number < s->n)
		return &s->of[number];
	struct scan *grown = reallocarray(s->of, files->n, sizeof *grown);

	if (!grown)
		return NULL;
	memset(grown + s->n, 0, (files->n - s->n) * sizeof *grown);
	s->of = grown;
	s->n = files->n;
	return &grown[number];
}

const struct scan *scan_file(struct scans *s, const struct module_files *files, uint32_t number)
{
	struct scan *scan = slot_for(s, files, number);
	int fd = files->files[number].fd, err = 0;

	if (!scan || scan->done)
		return scan;
	scan->done = true;
	if (fd < 0 || !s->probes)
		return scan;
	elf_version(EV_CURRENT);
	/* Read, not map: a file that is cut short while we look must not kill us with SIGBUS. */
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		err = look_at_elf(scan, s->probes, elf, fd);
	elf_end(elf);
	return err ? NULL : scan;
}
