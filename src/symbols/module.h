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

/* A file and all that was read of it; each part is read when it is first needed. */
struct module {
	const struct symbols_search *search;
	char *path;
	char *source;			/* see symbols_source() */
	char id[BUILD_ID_MAX];
	bool opened, has_cus, has_symbols, has_fdes;
	bool gone;			/* the file does not exist any more, or cannot be read */
	bool searched;			/* for a debug file: @file has the result */
	struct debugfile *file;

	struct objfile main;		/* the file itself; elf is NULL if it is no ELF file */
	struct objfile debug;		/* its separate debug file */
	struct objfile mini;		/* its compressed symbol table,
					   .gnu_debugdata */
	struct objfile alt;		/* made by dwz(1) for several debug files */
	struct dwp dwp;			/* split DWARF, if .dwo files are missing */
	char *dwp_path;			/* its path; NULL: none is used */
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

/* A module by its number, for other uses of its DWARF than names. */
struct module *symbols_module(struct symbols *s, int module);

/* The module takes over @fd; -1: no file. @search must outlive it. Returns 0 or -ENOMEM. */
int module_init(struct module *m, const char *path, int fd, const struct symbols_search *search);
void module_release(struct module *m);

/* The file that seems to have the DWARF, the module's own or its debug file; NULL: none. Does not
 * open the DWARF. */
struct objfile *module_dwarf_file(struct module *m);

/* The file offset of what is loaded at @at, and in @left how many bytes follow. False: nothing
 * is. */
bool module_offset(struct module *m, uint64_t at, uint64_t *offset, uint64_t *left);

/* Read what is loaded at @at. Returns how many of the @size bytes there are. */
size_t module_read(struct module *m, uint64_t at, uint8_t *to, size_t size);

/* Has the module, or its debug file, a table for unwinding? */
bool module_has_frames(struct module *m);

/* Open the debug data, unless that was done before. Returns 0 or -ENOMEM. */
int module_open(struct module *m);

/* The source of its names, for people; NULL: it has not been opened. Belongs to the module. */
const char *module_source(struct module *m);

/* The tables, read at the first call. NULL: out of memory. module_read_symbols(): 0 or -ENOMEM. */
struct cus *module_cus(struct module *m);
int module_read_symbols(struct module *m);
const struct fdes *module_fdes(struct module *m);

#endif
