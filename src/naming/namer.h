/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_NAMER_H
#define MPROF_NAMING_NAMER_H

#include "base/say.h"
#include "naming/told.h"
#include "profile/profile.h"
#include "symbols/perfmap.h"
#include "symbols/symbols.h"

/* The file of a module. Places refer to it by its number. */
struct resolve_module {
	const char *path;
	int fd;	/* open for reading; -1: no file */
};

/*
 * Turns places, that is addresses in a module or in code that the program generated, into
 * functions, files and lines; there is no other way. A namer that reads files must be in a confined
 * process; elsewhere, one that reads nothing has the answers of that process (namer_ask()).
 */

/* A zeroed one reads nothing, knows no module, and can be released. */
struct namer {
	struct symbols *symbols; /* NULL: it reads no files. Its module i is ... */
	const char **paths;	/* ... paths[i], as the program saw it; not owned */
	size_t n, cap;
	struct told_names told;
	/* The last answer for a place in no module. */
	struct sym_frame outside;
	char address[32];
};

/* A namer that reads files. What @search points to must outlive it. 0 or -ENOMEM. */
int namer_init(struct namer *n, const struct symbols_search *search);
void namer_release(struct namer *n);

/* As symbols_add_module(); @fd is used only by a namer that reads files. @path must outlive it. */
int namer_add_module(struct namer *n, const char *path, int fd);

/* The instruction that an address in a chain stands for: before a return address, the call. */
uint64_t namer_instruction(uint64_t address, bool exact);

/**
 * The functions at @place, including inlined ones, as from symbols_lookup(). The name of a place in
 * no module is the one that @jit has, or else its address.
 * @jit  names of generated code; NULL: none are known
 * @out  valid until the next call
 * Returns 0 or -ENOMEM, the latter also for a place in a module that was not asked for.
 */
int namer_look(struct namer *n, const struct profile_place *place, const struct perfmap *jit,
	       struct sym_frames *out);

/* As symbols_build_id() and symbols_source(). */
const char *namer_build_id(const struct namer *n, uint32_t module);
const char *namer_source(const struct namer *n, uint32_t module);

/* The name of a frame from the last namer_look(); NULL: it has none. */
const char *namer_name(const struct namer *n, const struct sym_frame *f);

struct resolve_kept;

/* What a namer may ask, and where the answers come from. */
struct namer_asks {
	struct symbols_search search;
	const struct resolve_module *files;	/* by number; may grow from call to call */
	size_t n_files;
	int jit_map;	/* perf map of the process that the places are in; -1: none */
	say_fn *say;	/* told what is left out */
	struct resolve_kept *kept;	/* asked if @jit_map is -1; NULL: a process for each
					   question */
};

/**
 * Have places looked up in a confined process, unless that was done before. After that
 * namer_look() knows them, and namer_build_id() and namer_source() their modules. Places in no
 * module are looked up again each time, as they may belong to other code, or have a name, by now. A
 * namer that reads files only adds new files, and asks only for places in no module.
 * @used  by place: is it wanted? NULL: all are
 * Returns 0 or -ENOMEM.
 */
int namer_ask(struct namer *n, const struct namer_asks *how, const struct profile_place *places,
	      const bool *used, size_t n_places);

#endif
