/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/elfsym.h"

#include "base/array.h"
#include "base/search.h"
#include "base/text.h"
#include "symbols/dyntable.h"
#include "symbols/symtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void elfsyms_release(struct elfsyms *t)
{
	free(t->v);
	*t = (struct elfsyms){ 0 };
}

/* Global before weak before local, then functions before labels without a type, then those with
 * fewer leading underscores. */
static uint8_t rank(const GElf_Sym *sym, const char *name)
{
	unsigned bind = GELF_ST_BIND(sym->st_info);
	size_t r = bind == STB_LOCAL  ? 2
		   : bind == STB_WEAK ? 1
				      : 0,
	       underscores = strspn(name, "_");

	r = r * 2 + (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE);
	return (uint8_t)(r * 8 + (underscores < 7 ? underscores : 7));
}

/* @exec: the symbol's section is executable. Symbols without a type count only there. */
static bool is_function(const GElf_Sym *sym, const char *name, bool exec)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (!name || !*name || !sym->st_value || sym->st_shndx == SHN_UNDEF ||
	    sym->st_shndx == SHN_ABS)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && exec && *name != '$' && !text_begins(name, ".L");
}

static bool is_exec(Elf *elf, GElf_Section shndx)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = shndx < SHN_LORESERVE ? elf_getscn(elf, shndx) : NULL;

	return scn && gelf_getshdr(scn, &shdr) && (shdr.sh_flags & SHF_EXECINSTR);
}

static int add_symbol(struct elfsyms *t, const GElf_Sym *sym, const char *name)
{
	uint64_t end = sym->st_value + sym->st_size;

	if (ARRAY_RESERVE(&t->v, &t->cap, t->n))
		return -ENOMEM;
	t->v[t->n++] = (struct elfsym){ .start = sym->st_value,
					.end = end < sym->st_value ? UINT64_MAX : end,
					.name = name,
					.section = sym->st_shndx,
					.rank = rank(sym, name),
					.sized = sym->st_size != 0 };
	return 0;
}

static int read_table(struct elfsyms *t, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	struct symtab from;
	GElf_Sym sym;
	int err = 0;

	if (!symtab_begin(&from, elf, scn, shdr))
		return 0;
	for (size_t i = 1; !err && symtab_symbol(&from, i, &sym); i++) {
		if (GELF_ST_TYPE(sym.st_info) > STT_FUNC &&
		    GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC)
			continue;
		const char *name = symtab_name(&from, &sym);

		if (is_function(&sym, name, is_exec(elf, sym.st_shndx)))
			err = add_symbol(t, &sym, name);
	}
	return err;
}

/* .dynsym of a file without section headers. */
static int read_dynamic(struct elfsyms *t, struct objfile *o)
{
	struct dyntable d;
	const char *name;
	GElf_Sym sym;
	int err = 0;

	dyntable_read(&d, o->elf);
	for (size_t i = 1; !err && dyntable_symbol(&d, i, &sym, &name); i++)
		if (is_function(&sym, name, objfile_is_code(o, sym.st_value)))
			err = add_symbol(t, &sym, name);
	return err;
}

static int by_start(const void *a, const void *b)
{
	const struct elfsym *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

static uint64_t section_end(Elf *elf, uint32_t index)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = index < SHN_LORESERVE ? elf_getscn(elf, index) : NULL;

	return scn && gelf_getshdr(scn, &shdr) ? shdr.sh_addr + shdr.sh_size : 0;
}

/*
 * A symbol without a size extends to the next symbol of its section. Going backwards, that is the
 * last one seen with a higher start; symbols of other sections hardly ever lie in between, and
 * then the guess is just shorter.
 */
static void finish(struct elfsyms *t, Elf *elf)
{
	uint64_t next = 0, reach = 0;
	uint32_t next_section = SHN_UNDEF;

	for (size_t i = t->n; i-- > 0;) {
		struct elfsym *s = &t->v[i];

		if (!s->sized) {
			uint64_t end = section_end(elf, s->section);

			if (next_section == s->section || (next && next < end))
				end = next;
			s->end = end > s->start ? end : s->start;
		}
		if (i && t->v[i - 1].start < s->start) {
			next = s->start;
			next_section = s->section;
		}
	}
	for (size_t i = 0; i < t->n; i++) {
		if (t->v[i].end > reach)
			reach = t->v[i].end;
		t->v[i].reach = reach;
	}
}

int elfsyms_read(struct elfsyms *t, struct objfile *o, GElf_Word type)
{
	GElf_Shdr shdr;
	bool found = false;
	int err = 0;

	if (!o->elf)
		return 0;
	for (Elf_Scn *scn = elf_nextscn(o->elf, NULL); scn; scn = elf_nextscn(o->elf, scn)) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != type)
			continue;
		found = true;
		err = read_table(t, o->elf, scn, &shdr);
		if (err)
			return err;
	}
	if (type == SHT_DYNSYM && !found)
		err = read_dynamic(t, o);
	if (err)
		return err;
	if (t->n)
		qsort(t->v, t->n, sizeof *t->v, by_start);
	finish(t, o->elf);
	return 0;
}

/* The number of symbols that start at or before @at. */
static size_t count_up_to(const struct elfsyms *t, uint64_t at)
{
	return SEARCH_FIRST(t->n, i, t->v[i].start > at);
}

const struct elfsym *elfsyms_find(const struct elfsyms *t, uint64_t at, bool sized)
{
	const struct elfsym *best = NULL;

	/* The last one to start is the innermost; before it are those with the same start and
	 * a better rank. */
	for (size_t i = count_up_to(t, at); i-- > 0;) {
		const struct elfsym *s = &t->v[i];

		if (s->reach <= at || (best && s->start != best->start))
			break;
		if (s->end > at && s->sized == sized)
			best = s;
	}
	return best;
}

const struct elfsym *elfsyms_find_name(const struct elfsyms *t, const char *name, size_t len)
{
	const struct elfsym *found = NULL;

	for (size_t i = 0; i < t->n; i++) {
		if (strncmp(t->v[i].name, name, len) != 0 || t->v[i].name[len])
			continue;
		if (found && found->start != t->v[i].start)
			return NULL;
		found = &t->v[i];
	}
	return found;
}
