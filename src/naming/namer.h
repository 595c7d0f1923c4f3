/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_NAMER_H
#define MPROF_NAMING_NAMER_H

#include "base/say.h"
#include "naming/told.h"
#include "profile/profile.h"
#include "symbols/perfmap.h"
#include "symbols/symbols.h"

/* A module file, by the number that places have for it. */
struct resolve_module {
	const char *path;
	int fd;	/* open for reading; -1: no file */
};

/*
 * Who is at a place: the one way from an address of a module, or of code that the program made, to
 * functions, files and lines. One that reads files is for a confined process; whoever wants names
 * elsewhere has one that reads nothing, and knows what it was told (namer_ask()).
 */

/* A zeroed one reads nothing and knows no module, and can be released. */
struct namer {
	struct symbols *symbols; /* NULL: it reads nothing. Module i of it is ... */
	const char **paths;	/* ... paths[i], as the program saw it; the caller's strings */
	size_t n, cap;
	struct told_names told;
	/* What was said last of a place in no module. */
	struct sym_frame outside;
	char address[32];
};

/* One that reads files. What @search points to outlives the namer. 0 or -ENOMEM. */
int namer_init(struct namer *n, const struct symbols_search *search);
void namer_release(struct namer *n);

/* As symbols_add_module(); what reads nothing does not look at @fd. @path outlives the namer. */
int namer_add_module(struct namer *n, const char *path, int fd);

/* The instruction that an address in a chain is about: of one to return to, the call before it. */
uint64_t namer_instruction(uint64_t address, bool exact);

/**
 * Who is at @place, inlined functions included, as symbols_lookup() tells it. A place in no module
 * has the name that @jit has for it, else its address is the name.
 * @jit  names of code that the program made; NULL: none are known
 * @out  good until the next call
 * Returns 0 or -ENOMEM; that is also what is said of a place in a module of which nothing was told.
 */
int namer_look(struct namer *n, const struct profile_place *place, const struct perfmap *jit,
	       struct sym_frames *out);

/* As symbols_build_id() and symbols_source(). */
const char *namer_build_id(const struct namer *n, uint32_t module);
const char *namer_source(const struct namer *n, uint32_t module);

/* The name of a frame that namer_look() gave last; NULL: nothing names it. */
const char *namer_name(const struct namer *n, const struct sym_frame *f);

/* Where a namer has others look. */
struct namer_asks {
	struct symbols_search search;
	const struct resolve_module *files;	/* by number; they only become more */
	size_t n_files;
	int jit_map;	/* perf map of the process that the places are of; -1: none */
	say_fn *say;	/* told what is left out */
};

/**
 * Have places looked up in a confined process, as far as that was not done before; then
 * namer_look() knows them, and namer_build_id() and namer_source() their modules. What is in no
 * module is looked up anew each time, for it is another's, or has a name by now. A namer that reads
 * files learns of new ones, and only that is asked for.
 * @used  of each place: is it wanted? NULL: all are
 * 0 or -ENOMEM.
 */
int namer_ask(struct namer *n, const struct namer_asks *how, const struct profile_place *places,
	      const bool *used, size_t n_places);

#endif
