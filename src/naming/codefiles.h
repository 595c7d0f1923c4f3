/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_CODEFILES_H
#define MPROF_NAMING_CODEFILES_H

#include "naming/namer.h"
#include "symbols/objfile.h"

#include <stdint.h>

/* A segment of code: bytes from @offset of the file on are at @address of the module. */
struct code_segment {
	uint64_t offset, file_size;
	uint64_t address, size;
};

enum { CODE_SEGMENTS = 16, NAMES_MAX = 4096 + 256 };	/* at most; linkers write one */

/* Facts about a file, plain data: a confined process writes them as they are here. */
struct code_facts {
	char build_id[BUILD_ID_MAX];	/* "": it has none */
	char names[NAMES_MAX];		/* as symbols_source(); "": not asked for */
	struct code_segment segments[CODE_SEGMENTS];
	uint32_t n_segments;
	uint8_t is_code;	/* it is open, and an ELF file; if not, all the rest is zero */
	uint8_t unwinds;	/* it has a table for unwinding, if that was asked for */
};

/* Which facts to read. */
struct code_asks {
	const struct symbols_search *search;	/* NULL: headers only, neither names nor unwinds */
	say_fn *say;	/* told what is left out */
};

/* Read the facts of open files, in a confined process. @facts: one for each. 0 or -ENOMEM. */
int code_facts_read(const struct code_asks *how, const struct resolve_module *files, size_t n,
		    struct code_facts *facts);

/* Open a file that a confined process will read. -1: it does not exist, or that process would not
 * have enough descriptors left. @path may be NULL: -1. */
int codefile_open(const char *path);

/* Files by their paths; only those that exist and are of the right build. */
struct codefiles {
	struct resolve_module *v;	/* fd -1: it does not exist, or is of another build */
	struct code_facts *facts;
	size_t n;
};

/* A file to open. */
struct codefile_wanted {
	const char *path;	/* NULL: none; must outlive the files */
	const char *build_id;	/* that it must have; "": any */
};

/* Open them, and read their headers in a confined process. 0 or -ENOMEM; codefiles_close() must be
 * called in any case. */
int codefiles_open(struct codefiles *c, const struct codefile_wanted *wanted, size_t n,
		   say_fn *say);
void codefiles_close(struct codefiles *c);

/* The file offset of an address of the module, and how many bytes of the segment follow. False: no
 * code. */
bool code_offset(const struct code_facts *f, uint64_t address, uint64_t *offset, uint64_t *left);

/* The address in the module of a file offset; whole pages are mapped. False: no
 * code. */
bool code_address(const struct code_facts *f, uint64_t offset, uint64_t *address);

#endif
