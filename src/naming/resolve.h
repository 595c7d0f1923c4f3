/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_RESOLVE_H
#define MPROF_NAMING_RESOLVE_H

#include "naming/namer.h"
#include "profile/profile.h"
#include "symbols/symbols.h"

/* How to name a profile, and where names come from besides the modules. */
struct resolve_how {
	struct symbols_search search;
	int jit_map;	/* perf map of the process, open for reading; -1: none */
	/* For a profile that has names already: places[i] keeps those of site old_site[i] of @old;
	 * PD_NONE: it is named anew. */
	const struct profile_data *old;
	const uint32_t *old_site;
	/* If not NULL: set to the node of the result at which each leaf of the profile is counted;
	 * PD_NONE: it is not counted. One for each leaf. */
	uint32_t *leaf_nodes;
	/* If not NULL: by module, set to whether it ended the process that read it, or took too
	 * much. */
	bool *left_out;
	/* If not NULL: a namer that has read the same files before, for a profile that is named
	 * repeatedly; it was made with @search, and new files are added to it. */
	struct namer *namer;
	bool no_types;	/* neither types at sites nor types by size are wanted */
	bool no_trim;	/* keep the code that calls main or starts a thread */
};

/* Names from the modules and the usual places. */
#define RESOLVE_PLAINLY ((struct resolve_how){ .jit_map = -1 })

/**
 * Turn a profile in the making into a named one that needs neither the program nor its files. Trims
 * the code of the C library that calls main or starts a thread from the outer end of each chain,
 * and inserts inlined functions.
 * @program  number of the module that is the program itself, or PD_NONE
 * @out      totals, program, modules, functions, sites, nodes, leaves, series, types and memory are
 *           filled in
 * Returns 0 or -ENOMEM.
 */
int resolve_profile_by(const struct resolve_how *how, const struct profile *p,
		       const struct resolve_module *modules, size_t n_modules, uint32_t program,
		       struct profile_data *out);

/* The same with RESOLVE_PLAINLY. */
int resolve_profile(const struct profile *p, const struct resolve_module *modules, size_t n_modules,
		    uint32_t program, struct profile_data *out);

/**
 * Name a finished profile again. Chains and counts stay what they are, except for inlined
 * functions.
 * @files   one for each module of @old: its file; fd -1: the module keeps its names
 * @search  where else debug files may be
 * @out     a new profile; after a failure it can only be freed
 * The caller makes sure that the files are those of the modules. Returns 0 or -ENOMEM.
 */
int resolve_again(const struct profile_data *old, const struct resolve_module *files,
		  const struct symbols_search *search, struct profile_data *out);

#endif
