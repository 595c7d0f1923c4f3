/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_NAMER_H
#define MPROF_NAMING_NAMER_H

#include "profile/profile.h"
#include "symbols/perfmap.h"
#include "symbols/symbols.h"

/*
 * Who is at a place: the one way from an address of a module, or of code that the program made, to
 * functions, files and lines.
 */

/* A zeroed one knows no module, and can be released. */
struct namer {
	struct symbols *symbols; /* module i of it is ... */
	const char **paths;	/* ... paths[i], as the program saw it; the caller's strings */
	size_t n, cap;
	/* What was said last of a place in no module. */
	struct sym_frame outside;
	char address[32];
};

/* What @search points to outlives the namer. 0 or -ENOMEM. */
int namer_init(struct namer *n, const struct symbols_search *search);
void namer_release(struct namer *n);

/* As symbols_add_module(). @path outlives the namer. */
int namer_add_module(struct namer *n, const char *path, int fd);

/* The instruction that an address in a chain is about: of one to return to, the call before it. */
uint64_t namer_instruction(uint64_t address, bool exact);

/**
 * Who is at @place, inlined functions included, as symbols_lookup() tells it. A place in no module
 * has the name that @jit has for it, else its address is the name.
 * @jit  names of code that the program made; NULL: none are known
 * @out  good until the next call
 * Returns 0 or -ENOMEM.
 */
int namer_look(struct namer *n, const struct profile_place *place, const struct perfmap *jit,
	       struct sym_frames *out);

/* The name of a frame that namer_look() gave last; NULL: nothing names it. */
const char *namer_name(const struct namer *n, const struct sym_frame *f);

#endif
