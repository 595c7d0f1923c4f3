/* SPDX-License-Identifier: BSD-2-Clause */
#include "probes/no_allocator.h"

#include "symbols/ownheap.h"

#include <string.h>

#define LOOKED_FOR \
	"no allocator found: looked for malloc, calloc, realloc, free and their kin in its " \
	"symbol tables (.dynsym, .symtab); "

const char *no_allocator_why(int fd)
{
	struct ownheap h = ownheap_of(fd);

	if (h.language && !strcmp(h.language, "Go"))
		return "no allocator found: it is a Go program, whose own allocator "
		       "(runtime.mallocgc) is none that mprof can watch, and its symbol tables "
		       "(.dynsym, .symtab) name no other";
	if (h.dynamic)
		return LOOKED_FOR "the program and its libraries have none of them. If you know "
				  "what it allocates with, tell it: --hook=malloc:NAME "
				  "--hook=free:NAME";
	if (h.symbols)
		return LOOKED_FOR "the program is static, and has symbols, but none of them. If it "
				  "has an allocator of its own, name it: --hook=malloc:NAME "
				  "--hook=free:NAME";
	return LOOKED_FOR "the program is static and stripped. If you know where they are, tell "
			  "it: --hook=malloc:0xADDRESS --hook=free:0xADDRESS";
}
