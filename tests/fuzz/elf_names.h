/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TESTS_FUZZ_ELF_NAMES_H
#define MPROF_TESTS_FUZZ_ELF_NAMES_H

/* All there is to ask of a file's names. Behind elf_mutator.h. */
#include "symbols/symbols.h"
#include "symbols/vtables.h"

enum { LOOKUPS = 32 };

static bool want_all(uint64_t size, void *ctx)
{
	(void)ctx;
	return size != UINT64_MAX;
}

/* The beginning of the file's code. */
static uint64_t code_of(const uint8_t *data, size_t size)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	if (!elf_get(data, size, 0, &eh, sizeof eh))
		return 0;
	for (unsigned i = 0; i < eh.e_phnum && i < 16; i++)
		if (elf_get(data, size, eh.e_phoff + i * sizeof ph, &ph, sizeof ph) &&
		    ph.p_type == PT_LOAD && ph.p_flags & PF_X)
			return ph.p_vaddr;
	return 0;
}

static void look_up(struct symbols *s, int module, uint64_t pc, bool is_return)
{
	struct sym_frames f;

	FUZZ_EXPECT(!symbols_lookup(s, module, pc, is_return, &f));
	FUZZ_EXPECT(f.n && !f.frames[0].inlined);
	for (size_t i = 0; i < f.n; i++)
		FUZZ_EXPECT(f.frames[i].name[0] && f.frames[i].linkage[0]);
}

static void list_types(struct symbols *s, int module)
{
	struct sym_type *types;
	size_t n;

	FUZZ_EXPECT(!symbols_types(s, module, want_all, NULL, &types, &n));
	for (size_t i = 1; i < n; i++)
		FUZZ_EXPECT(types[i].size > types[i - 1].size ||
			    (types[i].size == types[i - 1].size &&
			     strcmp(types[i].name, types[i - 1].name) > 0));
	free(types);
}

/* @code: of code_of() */
static void ask_names(struct symbols *s, int module, uint64_t code)
{
	struct sym_vtable tables[4] = {
		{.at = code}, {.at = code + 8}, {.at = code + 0x2000}, {.at = UINT64_MAX}};

	FUZZ_EXPECT(module == 0 && symbols_build_id(s, module) && symbols_source(s, module));
	for (unsigned i = 0; i < LOOKUPS; i++)
		look_up(s, module, code + i * 7, i & 1);
	list_types(s, module);
	FUZZ_EXPECT(!symbols_vtables(s, module, tables, code < UINT64_MAX - 0x2000 ? 4 : 1));
}

#endif
