/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SYMTAB_H
#define MPROF_SYMTAB_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>

/* The symbols of a section (ELF gABI, chapter 4). */
struct symtab {
	Elf *elf;
	Elf_Data *data; /* belongs to the Elf */
	size_t strings; /* the section of their names */
	size_t n;
};

/* False: the section has no symbols that can be read. */
bool symtab_begin(struct symtab *t, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr);

/* Symbol @i, the first one is 1. False: there is none. */
bool symtab_symbol(const struct symtab *t, size_t i, GElf_Sym *sym);

/* Its name, which belongs to the Elf; NULL: it has none. */
const char *symtab_name(const struct symtab *t, const GElf_Sym *sym);

typedef void symtab_fn(void *ctx, const GElf_Sym *sym, const char *name);

/* Calls @fn for each symbol of each SHT_SYMTAB. */
void symtabs_each(Elf *elf, symtab_fn *fn, void *ctx);

#endif
