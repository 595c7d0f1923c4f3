/* SPDX-License-Identifier: BSD-2-Clause */
#include "probes/got_entries.h"

#include "arch/arch.h"
#include "base/array.h"
#include "symbols/dyntable.h"

#include <errno.h>

struct reading {
	struct scan *scan;
	const struct probes *probes;
	Elf *elf;
	struct dyntable dynamic;
};

static bool is_resolver(const struct scan *s, uint64_t address)
{
	for (size_t i = 0; i < s->n_probes; i++)
		if (s->probes[i].indirect && s->probes[i].address == address)
			return true;
	return false;
}

static int add_got_entry(struct reading *r, const GElf_Rela *rela, uint64_t resolver,
			 uint32_t probe)
{
	struct scan *s = r->scan;
	uint64_t unbound = 0;

	if (ARRAY_RESERVE(&s->got_entries, &s->cap_got_entries, s->n_got_entries))
		return -ENOMEM;
	dyntable_word(r->elf, rela->r_offset, &unbound);
	s->got_entries[s->n_got_entries++] = (struct got_entry){ rela->r_offset, unbound, resolver,
								 probe };
	return 0;
}

static int look_at(struct reading *r, const GElf_Rela *rela)
{
	enum arch_reloc what = arch_reloc((uint32_t)GELF_R_TYPE(rela->r_info));
	const char *name;
	GElf_Sym sym;

	if (what == ARCH_RELOC_INDIRECT)
		return is_resolver(r->scan, (uint64_t)rela->r_addend) ?
			       add_got_entry(r, rela, (uint64_t)rela->r_addend, 0) : 0;
	if (what != ARCH_RELOC_SYMBOL ||
	    !dyntable_symbol(&r->dynamic, GELF_R_SYM(rela->r_info), &sym, &name))
		return 0;
	uint32_t number = probes_named(r->probes, name);
	return number == IDINDEX_NONE ? 0 : add_got_entry(r, rela, 0, number);
}

static int look_at_all(struct reading *r, Elf_Data *relocs)
{
	GElf_Rela rela;
	int err = 0;

	for (int i = 0; relocs && !err && i < INT32_MAX && gelf_getrela(relocs, i, &rela); i++)
		err = look_at(r, &rela);
	return err;
}

/* A static program has no dynamic section; the relocations that it applies itself at its start are
 * found by section headers. */
static int look_at_sections(struct reading *r)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int err = 0;

	while (!err && (scn = elf_nextscn(r->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA && sh.sh_flags & SHF_ALLOC)
			err = look_at_all(r, elf_getdata(scn, NULL));
	return err;
}

int got_entries_read(struct scan *s, const struct probes *probes, Elf *elf)
{
	struct reading r = { .scan = s, .probes = probes, .elf = elf };
	int err = 0;

	if (!dyntable_read(&r.dynamic, elf))
		return look_at_sections(&r);
	for (int i = 0; !err && i < DYNTABLE_RELOCS; i++)
		err = look_at_all(&r, r.dynamic.relocs[i]);
	return err;
}
