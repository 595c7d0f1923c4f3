/* SPDX-License-Identifier: BSD-2-Clause */
/* Names, lines and types of a file, of what is packed into it, and what leads to other files. */
#define ELF_SECTIONS                                                                               \
	".debug_", ".zdebug_", ".symtab", ".strtab", ".dyn", ".note", ".gnu_debug", ".shstrtab"
#include "elf_mutator.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fuzz_file f = fuzz_file(data, size);
	const uint64_t code = code_of(data, size);
	struct sym_vtable tables[4] = {
		{.at = code}, {.at = code + 8}, {.at = code + 0x2000}, {.at = UINT64_MAX}};
	struct symbols *s = symbols_new();

	FUZZ_EXPECT(s);
	const int module = symbols_add_module(s, "/nowhere/fuzz", f.fd);

	FUZZ_EXPECT(module == 0 && symbols_build_id(s, module) && symbols_source(s, module));
	for (unsigned i = 0; i < LOOKUPS; i++)
		look_up(s, module, code + i * 7, i & 1);
	list_types(s, module);
	FUZZ_EXPECT(!symbols_vtables(s, module, tables, code < UINT64_MAX - 0x2000 ? 4 : 1));
	symbols_free(s);
	close(f.fd);
	return 0;
}
