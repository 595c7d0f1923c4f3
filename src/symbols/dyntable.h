/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DYNTABLE_H
#define MPROF_DYNTABLE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a file has for the dynamic linker (PT_DYNAMIC): the symbols that it exports and imports, and
 * its relocations. It can be read without section headers, which loaders ignore (ELF gABI, chapter
 * 5).
 */

#define DYNTABLE_RELOCS 2	/* DT_RELA, DT_JMPREL */

struct dyntable {
	Elf_Data *symbols, *strings;	/* belong to the Elf; NULL: it has none */
	size_t n_symbols, n_strings; /* the latter in bytes */
	Elf_Data *relocs[DYNTABLE_RELOCS];
	uint64_t flags_1;	/* DT_FLAGS_1 */
	uint64_t left;		/* bytes that may still be read of such tables */
	bool cut;		/* a table was larger, and was left out */
	uint64_t soname;	/* DT_SONAME, for dyntable_string(); 0: none */
};

/* Offsets and sizes are checked against the file's size. False: it has no PT_DYNAMIC. */
bool dyntable_read(struct dyntable *d, Elf *elf);

/* The string at @offset, NULL: there is none that is terminated. It belongs to the Elf. */
const char *dyntable_string(const struct dyntable *d, uint64_t offset);

/* Symbol @i and its name, which belongs to the Elf. False: there is none. */
bool dyntable_symbol(const struct dyntable *d, size_t i, GElf_Sym *sym, const char **name);

/* The file offset of what is loaded at @address, and how many bytes follow. False: nothing is. */
bool dyntable_offset(Elf *elf, uint64_t address, uint64_t *offset, uint64_t *room);

/* @size bytes of the file that are loaded at @address; NULL: it does not have them. They belong to
 * the Elf. */
Elf_Data *dyntable_loaded(Elf *elf, uint64_t address, uint64_t size, Elf_Type type);

/* The word in the file that is loaded at @address. False: there is none. */
bool dyntable_word(Elf *elf, uint64_t address, uint64_t *value);

#endif
