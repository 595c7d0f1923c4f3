/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_CODEFILES_H
#define MPROF_NAMING_CODEFILES_H

#include "naming/namer.h"
#include "symbols/objfile.h"

#include <stdint.h>

/* A segment of code: from @offset of the file on what is from @address on in the module. */
struct code_segment {
	uint64_t offset, file_size;
	uint64_t address, size;
};

enum { CODE_SEGMENTS = 16, NAMES_MAX = 4096 + 256 };	/* at most; linkers make one */

/* What a file says of itself, plain data: a confined process hands it over as it is here. */
struct code_facts {
	char build_id[BUILD_ID_MAX];	/* "": it has none */
	char names[NAMES_MAX];		/* as symbols_source(); "": nobody asked */
	struct code_segment segments[CODE_SEGMENTS];
	uint32_t n_segments;
	uint8_t is_code;	/* an ELF file, and open; else all others are zeros */
	uint8_t unwinds;	/* it has a table by which call chains are followed, if that was
				   asked for */
};

/* What is to be known. */
struct code_asks {
	const struct symbols_search *search;	/* NULL: headers only, neither names nor unwinds */
	say_fn *say;	/* told what is left out */
};

/* Read them of files that are open, in a confined process. @facts: one for each. 0 or -ENOMEM. */
int code_facts_read(const struct code_asks *how, const struct resolve_module *files, size_t n,
		    struct code_facts *facts);

/* A file that is to be read by others; -1: there is none, or no descriptors would be left for who
 * reads it. @path NULL: there is none. */
int codefile_open(const char *path);

/* Files by the paths that somebody has for them, those that are there and are the same build. */
struct codefiles {
	struct resolve_module *v;	/* fd -1: not there, or of another build */
	struct code_facts *facts;
	size_t n;
};

/* What is wanted of a file. */
struct codefile_wanted {
	const char *path;	/* NULL: nothing; outlives the files */
	const char *build_id;	/* "": whatever it has */
};

/* Open them, and read their headers in a confined process. 0 or -ENOMEM; codefiles_close() is to be
 * called either way. */
int codefiles_open(struct codefiles *c, const struct codefile_wanted *wanted, size_t n,
		   say_fn *say);
void codefiles_close(struct codefiles *c);

/* Where in its file it is what is at an address of the module, and how many bytes are there.
 * False: no code. */
bool code_offset(const struct code_facts *f, uint64_t address, uint64_t *offset, uint64_t *left);

/* Where in the module it is what is at @offset of its file; whole pages are mapped. False: no
 * code. */
bool code_address(const struct code_facts *f, uint64_t offset, uint64_t *address);

#endif
