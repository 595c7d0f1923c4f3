/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_RESOLVE_H
#define MPROF_NAMING_RESOLVE_H

#include "naming/namer.h"
#include "profile/profile.h"
#include "symbols/symbols.h"

/* Where names come from besides the modules. */
struct resolve_how {
	struct symbols_search search;
	int jit_map;	/* perf map of the process, open for reading; -1: none */
	/* For a profile that has names already: those of places[i] stay as they are in site
	 * old_site[i] of @old; PD_NONE: to be named anew. */
	const struct profile_data *old;
	const uint32_t *old_site;
	/* If not NULL: set to the node of the result that each leaf of the profile is counted at;
	 * PD_NONE: nothing of it is. One for each leaf. */
	uint32_t *leaf_nodes;
	/* If not NULL: set of each module that ended, or took too much of, who read it. */
	bool *left_out;
	/* If not NULL: who has named the same files before, for a profile that is named again and
	 * again; it is begun with @search, and learns of files that are new. */
	struct namer *namer;
	bool no_types;	/* neither the types at sites nor those of sizes are wanted */
	bool no_trim;	/* the code that calls main or starts a thread is wanted, too */
};

/* The usual places, and nothing else. */
#define RESOLVE_PLAINLY ((struct resolve_how){ .jit_map = -1 })

/**
 * Give names to what was counted: turns a profile in the making into one that needs neither the
 * program nor its files. Trims the code of the C library that calls main or starts a thread from
 * the outer end of each chain, and puts inlined functions into it.
 * @program  number of the module that is the program itself, or PD_NONE
 * @out      totals, program, modules, functions, sites, nodes, leaves, series, types and memory are
 *           filled in
 * Returns 0 or -ENOMEM.
 */
int resolve_profile_by(const struct resolve_how *how, const struct profile *p,
		       const struct resolve_module *modules, size_t n_modules, uint32_t program,
		       struct profile_data *out);

/* The same plainly. */
int resolve_profile(const struct profile *p, const struct resolve_module *modules, size_t n_modules,
		    uint32_t program, struct profile_data *out);

/**
 * Name a finished profile again. Chains and numbers stay what they are, only that inlined
 * functions may come and go.
 * @files   one for each module of @old: its file; fd -1: the module's names stay
 * @search  where debug files may be besides
 * @out     a new profile; on failure good for nothing but to be freed
 * The caller sees to it that the files are those of the modules. Returns 0 or -ENOMEM.
 */
int resolve_again(const struct profile_data *old, const struct resolve_module *files,
		  const struct symbols_search *search, struct profile_data *out);

#endif
