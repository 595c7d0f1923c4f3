/* SPDX-License-Identifier: BSD-2-Clause */
#include "probes/no_allocator.h"

#define LOOKED_FOR \
	"no allocator found: looked for malloc, calloc, realloc, free and their kin in its " \
	"symbol tables (.dynsym, .symtab); "

static const char *remedy_of(const struct ownheap *h)
{
	if (h->dynamic)
		return "if you know what it allocates with, tell it: --hook=malloc:NAME "
		       "--hook=free:NAME";
	if (h->symbols)
		return "if it has an allocator of its own, name it: --hook=malloc:NAME "
		       "--hook=free:NAME";
	return "if you know where they are, tell it: --hook=malloc:0xADDRESS --hook=free:0xADDRESS";
}

static const struct module_file *first_gone(const struct module_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		if (module_file_is_gone(&files->files[i]))
			return &files->files[i];
	return NULL;
}

void no_allocator_why(const struct ownheap *h, const struct module_files *files, struct advice *a)
{
	const struct module_file *gone = first_gone(files);

	*a = (struct advice){0};
	if (gone) {
		error_set(&a->why, 0, "no allocator found where mprof can look: to read %s takes "
				      MODULE_FILE_TAKES, gone->path);
		error_set(&a->remedy, 0, "run mprof as root, or start the program again");
		return;
	}
	if (h->language == OWNHEAP_GO) {
		error_set(&a->why, 0,
			  "no allocator found: it is a Go program, whose own allocator "
			  "(runtime.mallocgc) is none that mprof can watch, and its symbol tables "
			  "(.dynsym, .symtab) name no other");
		return;
	}
	if (h->unread) {
		error_set(&a->why, 0, "no allocator found: its file could not be read");
		return;
	}
	error_set(&a->why, 0, LOOKED_FOR "%s",
		  h->dynamic	? "the program and its libraries have none of them"
		  : h->symbols ? "the program is static, and has symbols, but none of them"
				: "the program is static and stripped");
	error_set(&a->remedy, 0, "%s", remedy_of(h));
}
