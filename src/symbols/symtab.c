/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/symtab.h"

#include <stdint.h>

bool symtab_begin(struct symtab *t, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	size_t entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);

	*t = (struct symtab){.elf = elf, .data = elf_getdata(scn, NULL), .strings = shdr->sh_link};
	if (!t->data || !entry)
		return false;
	t->n = t->data->d_size / entry;
	return true;
}

bool symtab_symbol(const struct symtab *t, size_t i, GElf_Sym *sym)
{
	return i < t->n && i < INT32_MAX && gelf_getsym(t->data, (int)i, sym);
}

const char *symtab_name(const struct symtab *t, const GElf_Sym *sym)
{
	return elf_strptr(t->elf, t->strings, sym->st_name);
}

void symtabs_each(Elf *elf, symtab_fn *fn, void *ctx)
{
	GElf_Shdr shdr;
	GElf_Sym sym;
	struct symtab t;

	for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn; scn = elf_nextscn(elf, scn)) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_SYMTAB ||
		    !symtab_begin(&t, elf, scn, &shdr))
			continue;
		for (size_t i = 1; symtab_symbol(&t, i, &sym); i++)
			fn(ctx, &sym, symtab_name(&t, &sym));
	}
}
