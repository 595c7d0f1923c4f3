/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/own_heaps.h"

#include "cli/cli.h"
#include "symbols/ownheap.h"

#include <string.h>

#define LOOKED_FOR "no allocator found: looked for malloc, calloc, realloc, free and their kin in its symbol tables " \
		   "(.dynsym, .symtab); "

const char *no_allocator_why(int fd)
{
	struct ownheap h = ownheap_of(fd);

	if (h.language && !strcmp(h.language, "Go"))
		return "no allocator found: it is a Go program, whose own allocator (runtime.mallocgc) is none that "
		       "mprof can watch, and its symbol tables (.dynsym, .symtab) name no other";
	if (h.dynamic)
		return LOOKED_FOR "the program and its libraries have none of them. If you know what it allocates "
				  "with, tell it: --hook=malloc:NAME --hook=free:NAME";
	if (h.symbols)
		return LOOKED_FOR "the program is static, and has symbols, but none of them. If it has an "
				  "allocator of its own, name it: --hook=malloc:NAME --hook=free:NAME";
	return LOOKED_FOR "the program is static and stripped. If you know where they are, tell it: "
			  "--hook=malloc:0xADDRESS --hook=free:0xADDRESS";
}

void say_own_heaps(const struct module_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		struct ownheap h = ownheap_of(files->files[i].fd);

		if (h.language)
			say("%s has a heap of its own for the objects of %s, which is not watched: only what it asks "
			    "of malloc is", files->files[i].path, h.language);
	}
}
