/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_RESOLVE_INTERNAL_H
#define MPROF_NAMING_RESOLVE_INTERNAL_H

#include "profile/pd_tree.h"
#include "naming/namer.h"
#include "naming/resolve.h"
#include "naming/start_code.h"

/* The sites of a place, outermost first: elements [first, first + n) of run[]. */
struct place_sites {
	uint32_t first, n;
	enum start_code start;
};

/* What identifies a function while names are looked up. */
struct function_key {
	uint64_t key;
	uint32_t module;
};

/* By node: its depth, while the chain has been start code so far; NOT_START: it is behind that. */
#define NOT_START 0xff

struct resolver {
	const struct profile *p;
	const struct resolve_module *modules;
	uint32_t program;
	const struct resolve_how *how;
	struct profile_data *out;
	struct namer namer;
	struct perfmap jit;
	struct start_names start_names;
	size_t cap_functions, cap_sites;
	struct function_key *function_keys;
	size_t cap_keys;
	struct idindex function_index, site_index;
	struct pd_tree tree;
	/* By number in p: has counts, or is in a chain that has. The others are left from before a
	 * fork or a restart. */
	bool *node_used, *place_used;
	uint8_t *start_depth; /* by node of p: see NOT_START */
	struct place_sites *places;
	uint32_t *run;
	size_t n_run, cap_run;
};

/* Finds the types at the nodes of r->out with requests. @to: from nodes of r->p to those of r->out.
 * 0 or -ENOMEM. */
int resolve_site_types(struct resolver *r, const uint32_t *to);

/* Makes nodes and leaves of r->out. All places must have their sites. 0 or -ENOMEM. */
int resolve_tree(struct resolver *r);

/* Makes the series of r->out, which must have its tree and modules. 0 or -ENOMEM. */
int resolve_series(struct resolver *r);

#endif
