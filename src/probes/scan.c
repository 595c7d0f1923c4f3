/* SPDX-License-Identifier: BSD-2-Clause */
#include "probes/scan.h"

#include "arch/arch.h"
#include "base/array.h"
#include "probes/forwards.h"
#include "probes/outcome.h"
#include "probes/requests.h"
#include "probes/got_entries.h"
#include "symbols/dyntable.h"
#include "symbols/elffile.h"
#include "symbols/symtab.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

void scans_release(struct scans *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->of[i].probes);
		free(s->of[i].ranges);
		free(s->of[i].got_entries);
		free(s->of[i].soname);
		locals_release(&s->of[i].locals);
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
	const uint64_t start = sym->st_value, end = start + sym->st_size;

	if (ARRAY_RESERVE(&s->ranges, &s->cap_ranges, s->n_ranges))
		return -ENOMEM;
	/* the size in a symbol is untrusted */
	s->ranges[s->n_ranges++] =
		(struct scan_range){ start, end < start ? UINT64_MAX : end, kind };
	return 0;
}

/* A file with more was made to keep us busy. */
enum { PROBES_MAX = 4096 };

static int add_probe(struct scan *s, uint64_t address, uint64_t size, uint32_t probe, bool indirect)
{
	for (size_t i = 0; i < s->n_probes; i++) {
		if (s->probes[i].address != address || s->probes[i].indirect != indirect)
			continue;
		if (probe < s->probes[i].probe)
			s->probes[i].probe = probe;
		if (size > s->probes[i].size)
			s->probes[i].size = size;
		return 0;
	}
	if (s->n_probes == PROBES_MAX) {
		s->cut = true;
		return 0;
	}
	if (ARRAY_RESERVE(&s->probes, &s->cap_probes, s->n_probes))
		return -ENOMEM;
	s->probes[s->n_probes++] =
		(struct scan_probe){ .address = address, .size = size, .probe = probe,
				     .indirect = indirect };
	s->indirect |= indirect;
	return 0;
}

/* Add a function that a definition is about. */
static int add_function(struct scan *s, struct probes *probes, const GElf_Sym *sym, uint32_t number)
{
	struct probe *p = &probes->v[number];
	bool indirect = GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC;
	int err = 0;

	p->found = true;
	if (!indirect && ((p->operator_new && p->kind == PROBE_ALLOC) || p->kind == PROBE_LABEL ||
			  p->kind == PROBE_WRAPPER))
		err = add_range(s, sym, RANGE_WRAPPER);
	/* The user's own definition of an operator holds even in a forwarder. */
	if (err || p->kind == PROBE_WRAPPER || (p->operator_new && s->forwarder && !p->user))
		return err;
	return add_probe(s, sym->st_value, sym->st_size, number, indirect);
}

static bool is_in_code(const struct scan *s, Elf *elf, const GElf_Sym *sym)
{
	Elf_Scn *scn = sym->st_shndx < SHN_LORESERVE ? elf_getscn(elf, sym->st_shndx) : NULL;
	GElf_Shdr sh;

	if (scn && gelf_getshdr(scn, &sh))
		return sh.sh_flags & SHF_EXECINSTR;
	return sym->st_value >= s->code_start && sym->st_value < s->code_end;
}

/* Functions written in assembly may lack a .type directive, so global labels in code count, too;
 * local labels do not. */
static bool is_function(const struct scan *s, Elf *elf, const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS || !sym->st_value)
		return false;
	if (type == STT_NOTYPE)
		return GELF_ST_BIND(sym->st_info) != STB_LOCAL && is_in_code(s, elf, sym);
	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/* Add a function that no definition is about, if it is of interest to forwards_find(). */
static int look_at_other(struct scan *s, const GElf_Sym *sym, const char *name)
{
	enum scan_range_kind kind;

	return forwards_knows(name, &kind) ? add_range(s, sym, kind) : 0;
}

/* Does a definition hold for a function that a file keeps to itself, too? */
static bool needs_no_export(const struct probe *p)
{
	return p->user || p->kind == PROBE_NONE || probe_announces(p);
}

/* A symbol of a .symtab beside a .dynsym: only functions that need not be exported. */
static int look_at_hidden(struct scan *s, struct probes *probes, const GElf_Sym *sym,
			  const char *name)
{
	uint32_t number = probes_named(probes, name);
	if (number == IDINDEX_NONE)
		return look_at_other(s, sym, name);
	/* A local function called malloc may do anything. */
	bool global = s->program && GELF_ST_BIND(sym->st_info) != STB_LOCAL;
	if (needs_no_export(&probes->v[number]) || global)
		return add_function(s, probes, sym, number);
	return 0;
}

static int look_at_symbol(struct scan *s, struct probes *probes, const GElf_Sym *sym,
			  const char *name)
{
	if (is_housekeeping(name))
		return add_range(s, sym, RANGE_HOUSEKEEPING);
	if (!strcmp(name, "_dl_debug_state"))
		s->rendezvous = sym->st_value;
	uint32_t number = probes_named(probes, name);
	return number == IDINDEX_NONE ? look_at_other(s, sym, name) :
					add_function(s, probes, sym, number);
}

/* The same of a static program, which has all its symbols in one table: what is local counts only
 * if locals_counts(). */
static int look_at_static(struct scan *s, struct probes *probes, const GElf_Sym *sym,
			  const char *name)
{
	uint32_t number = probes_named(probes, name);
	int err = 0;

	if (number == IDINDEX_NONE || needs_no_export(&probes->v[number]))
		return look_at_symbol(s, probes, sym, name);
	if (GELF_ST_BIND(sym->st_info) != STB_LOCAL)
		err = locals_global(&s->locals, number, probes->n);
	else
		err = locals_add(&s->locals, sym, number, PROBES_MAX);
	s->cut |= err == -ENOSPC;
	if (err || GELF_ST_BIND(sym->st_info) == STB_LOCAL)
		return err == -ENOSPC ? 0 : err;
	return look_at_symbol(s, probes, sym, name);
}

static int add_locals(struct scan *s, struct probes *probes)
{
	int err = 0;

	for (size_t i = 0; !err && i < s->locals.n; i++)
		if (locals_counts(&s->locals, i))
			err = add_function(s, probes, &s->locals.v[i].sym, s->locals.v[i].number);
	locals_release(&s->locals);
	return err;
}

typedef int symbol_fn(struct scan *s, struct probes *probes, const GElf_Sym *sym, const char *name);

static int look_at_table(struct scan *s, struct probes *probes, Elf *elf, Elf_Scn *scn,
			 const GElf_Shdr *sh, symbol_fn *look)
{
	struct symtab t;
	GElf_Sym sym;
	bool nameless = true;
	int err = 0;

	if (!symtab_begin(&t, elf, scn, sh))
		return elffile_lacked_memory() ? -ENOMEM : 0;
	for (size_t i = 1; !err && symtab_symbol(&t, i, &sym); i++) {
		if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
			locals_file(&s->locals, symtab_name(&t, &sym));
		const char *name = is_function(s, elf, &sym) ? symtab_name(&t, &sym) : NULL;

		nameless &= !name;
		if (name)
			err = look(s, probes, &sym, name);
	}
	if (nameless && elffile_lacked_memory())
		err = -ENOMEM;
	return err;
}

/* The same for a file without section headers: symbols by way of its dynamic section. */
static int look_at_exported(struct scan *s, struct probes *probes, Elf *elf,
			    const struct dyntable *d)
{
	const char *name;
	GElf_Sym sym;
	int err = 0;

	for (size_t i = 0; !err && dyntable_symbol(d, i, &sym, &name); i++)
		if (is_function(s, elf, &sym))
			err = look_at_symbol(s, probes, &sym, name);
	return err;
}

static int look_at_tables(struct scan *s, struct probes *probes, Elf *elf, GElf_Word type,
			  bool *found, symbol_fn *look)
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

	return add_probe(p->scan, p->vaddr + at, 0, p->probe, false);
}

/* Code is addressed by 32 bits (psABI 3.5.1): a file with more was made to keep us busy. */
#define LONGEST_CODE (UINT64_C(1) << 31)

/* Client requests have no symbols: search for their instructions. */
static int find_requests(struct scan *s, const struct probes *probes, Elf *elf, int fd)
{
	struct request_place place = { .scan = s, .probe = probes_of_kind(probes, PROBE_REQUEST) };
	uint64_t left = LONGEST_CODE;
	size_t n = 0;
	GElf_Phdr ph;
	int err = 0;

	if (place.probe == IDINDEX_NONE || elf_getphdrnum(elf, &n))
		return 0;
	for (size_t i = 0; !err && i < n && i < INT32_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X) || ph.p_filesz > left)
			continue;
		left -= ph.p_filesz;
		place.vaddr = ph.p_vaddr;
		err = requests_find(fd, ph.p_offset, ph.p_filesz, add_request, &place);
	}
	return err;
}

/* False if the segment's last page would end beyond the address space: no loader maps it then. */
static bool has_last_page(const GElf_Phdr *ph)
{
	return ph->p_filesz <= UINT64_MAX - 4095 && ph->p_vaddr <= UINT64_MAX - 4095 - ph->p_filesz;
}

/* Find the code, and the unused rest of its last page. */
static void find_code(struct scan *s, Elf *elf)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X) || !has_last_page(&ph))
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

/* Only a program has an interpreter, not a library. */
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

static int look_at_elf(struct scan *s, struct probes *probes, Elf *elf, int fd)
{
	bool has_dynsym, has_symtab;
	struct dyntable d;

	dyntable_read(&d, elf);
	s->cut |= d.cut;
	const char *soname = d.soname ? dyntable_string(&d, d.soname) : NULL;
	if (soname && !(s->soname = strdup(soname)))
		return -ENOMEM;
	find_code(s, elf);
	s->program = is_program(elf);
	s->forwarder = probes_forwards(probes, s->soname);
	int err = look_at_tables(s, probes, elf, SHT_DYNSYM, &has_dynsym, look_at_symbol);
	if (!err && !has_dynsym)
		err = look_at_exported(s, probes, elf, &d);
	/* A static-pie program has a .dynsym, too, but without its functions' names. */
	s->dynamic = (has_dynsym || d.n_symbols) && !(d.flags_1 & DF_1_PIE && !s->program);
	if (!err)
		err = look_at_tables(s, probes, elf, SHT_SYMTAB, &has_symtab,
				     s->dynamic ? look_at_hidden : look_at_static);
	if (!err)
		err = add_locals(s, probes);
	if (!err)
		forwards_find(s, probes, elf, &d, fd);
	if (!err)
		err = find_requests(s, probes, elf, fd);
	return err;
}

static struct scan *scan_for(struct scans *s, const struct module_files *files, uint32_t number)
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
	struct scan *scan = scan_for(s, files, number);
	int fd = files->files[number].fd;

	if (!scan || scan->done)
		return scan && scan->lost ? NULL : scan;
	scan->done = true;
	Elf *elf = s->probes ? elffile_open_quick(fd, &scan->cut) : NULL;
	scan->lost = elf && look_at_elf(scan, s->probes, elf, fd);
	scan->lost |= s->probes && fd >= 0 && elffile_lacked_memory();
	elf_end(elf);
	return scan->lost ? NULL : scan;
}

bool scan_cut_is_news(struct scans *s, const struct module_files *files, uint32_t number,
		      struct error *what)
{
	struct scan *scan = number < s->n ? &s->of[number] : NULL;

	if (!scan || !scan->cut || scan->told_cut)
		return false;
	scan->told_cut = true;
	error_set(what, 0,
		  "has mapped %s, with tables that no program has: larger than %d MiB (symbols and "
		  "their names) or %d MiB (others), or without an end; they are not read",
		  files->files[number].path, ELFFILE_SYMBOLS_MIB, ELFFILE_PIECE_MIB);
	return true;
}

const struct scan *scan_got_entries(struct scans *s, const struct module_files *files,
				    uint32_t number)
{
	if (!scan_file(s, files, number))
		return NULL;
	struct scan *scan = &s->of[number];
	if (scan->got_entries_read)
		return scan;
	scan->got_entries_read = true;
	Elf *elf = s->probes ? elffile_open_quick(files->files[number].fd, NULL) : NULL;
	int err = elf ? got_entries_read(scan, s->probes, elf) : 0;
	elf_end(elf);
	return err ? NULL : scan;
}

static void mark(struct scans *s, uint32_t file, uint32_t probe, bool resolved)
{
	struct scan *scan = file < s->n ? &s->of[file] : NULL;

	for (size_t i = 0; scan && i < scan->n_probes; i++) {
		struct scan_probe *p = &scan->probes[i];

		if (!p->indirect || p->probe != probe)
			continue;
		p->sought = true;
		p->resolved |= resolved;
	}
}

void scan_sought(struct scans *s, uint32_t file, uint32_t probe)
{
	mark(s, file, probe, false);
}

void scan_resolved(struct scans *s, uint32_t file, uint32_t probe)
{
	mark(s, file, probe, true);
}

bool scan_depends(const struct scan *s, const struct probes *probes)
{
	for (size_t i = 0; i < s->n_probes; i++)
		if (probe_depends_on_others(&probes->v[s->probes[i].probe]))
			return true;
	return false;
}

bool scan_has_room(const struct scan *s)
{
	return s->slack_start + ARCH_SLOT_MAX <= s->slack_end;
}
