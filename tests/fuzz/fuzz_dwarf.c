/* SPDX-License-Identifier: BSD-2-Clause */
/* Names, lines and types of a file, of what is packed into it, and what leads to other files. */
#define ELF_SECTIONS                                                                               \
	".debug_", ".zdebug_", ".symtab", ".strtab", ".dyn", ".note", ".gnu_debug", ".shstrtab"
#include "elf_mutator.h"

#include "elf_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fuzz_file f = fuzz_file(data, size);
	struct symbols *s = symbols_new();

	FUZZ_EXPECT(s);
	ask_names(s, symbols_add_module(s, "/nowhere/fuzz", f.fd), code_of(data, size));
	symbols_free(s);
	close(f.fd);
	return 0;
}
