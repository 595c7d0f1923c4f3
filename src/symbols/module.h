/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MODULE_H
#define MPROF_MODULE_H

#include "symbols/cfi.h"
#include "symbols/cu.h"
#include "symbols/dwp.h"
#include "symbols/elfsym.h"
#include "symbols/objfile.h"
#include "symbols/padding.h"
#include "symbols/symbols.h"

#include <elfutils/libdw.h>

struct debugfile;

/* One file and all that is known of it; each part is read when it is needed first. */
struct module {
	const struct symbols_search *search;
	char *path;
	char *source;			/* see symbols_source() */
	char id[BUILD_ID_MAX];
	bool opened, has_cus, has_symbols, has_fdes;
	bool gone;			/* there is no such file any more, or it cannot be read */
	bool searched;			/* for a debug file: @file is what came of it */
	struct debugfile *file;

	struct objfile main;		/* the file itself; without elf if it is no ELF file */
	struct objfile debug;		/* its separate debug file */
	struct objfile mini;		/* the symbol table that is packed into it,
					   .gnu_debugdata */
	struct objfile alt;		/* the one that dwz(1) made for several debug files */
	struct dwp dwp;			/* with the split DWARF, if .dwo files are not there */
	char *dwp_path;			/* its name; NULL: none is used */
	Dwarf *dwarf, *alt_dwarf;	/* NULL: none */
	struct padding padding;

	/* See namecache.h. */
	bool cache_asked, cache_dirty;
	struct sym_type *types;		/* of all sizes, if has_types */
	size_t n_types;
	bool has_types;

	struct cus cus;
	struct elfsyms symtab, dynsym;
	struct fdes fdes;
};

/* A module by its number, for who asks more of its DWARF than names. */
struct module *symbols_module(struct symbols *s, int module);

/* @fd becomes the module's; -1: no file. @search must outlive it. Returns 0 or -ENOMEM. */
int module_init(struct module *m, const char *path, int fd, const struct symbols_search *search);
void module_release(struct module *m);

/* The file that seems to have the DWARF, the module's own or its debug file; NULL: none. Opens no
 * DWARF. */
struct objfile *module_dwarf_file(struct module *m);

/* Where in the file it is what is loaded at @at. @left: so many bytes are there. False: nothing. */
bool module_offset(struct module *m, uint64_t at, uint64_t *offset, uint64_t *left);

/* Read from what is loaded at @at: how many bytes there are, of @size. */
size_t module_read(struct module *m, uint64_t at, uint8_t *to, size_t size);

/* Has it a table by which call chains are followed, of its own or in its debug file? */
bool module_has_frames(struct module *m);

/* Open the debug data, if that was not done yet. Returns 0 or -ENOMEM. */
int module_open(struct module *m);

/* Where its names come from, for a person; NULL: it has not been opened. The module's. */
const char *module_source(struct module *m);

/* The tables, read when asked for the first time. NULL: out of memory. */
struct cus *module_cus(struct module *m);
int module_read_symbols(struct module *m);
const struct fdes *module_fdes(struct module *m);

#endif
