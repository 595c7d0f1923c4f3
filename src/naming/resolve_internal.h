/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_RESOLVE_INTERNAL_H
#define MPROF_NAMING_RESOLVE_INTERNAL_H

#include "profile/pd_tree.h"
#include "naming/namer.h"
#include "naming/resolve.h"
#include "naming/start_code.h"

/* The sites that one place stands for, outermost first: elements [first, first + n) of run[]. */
struct place_sites {
	uint32_t first, n;
	enum start_code start;
};

/* A function as it is known while names are looked up. */
struct function_key {
	uint64_t key;
	uint32_t module;
};

/* How many elements of start code the chains through a node begin with; NOT_START: it is behind. */
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
	/* By number in p: has counts, or is in a chain that has. The rest is from before a fork or
	 * a restart. */
	bool *node_used, *place_used;
	uint8_t *start_depth; /* by node of p: as above */
	struct place_sites *places;
	uint32_t *run;
	size_t n_run, cap_run;
};

/* The types at the nodes of r->out where something is requested. @to: of each node of r->p, the one
 * of r->out. 0 or -ENOMEM. */
int resolve_site_types(struct resolver *r, const uint32_t *to);

/* Nodes and leaves of r->out, when all places have their sites. 0 or -ENOMEM. */
int resolve_tree(struct resolver *r);

/* The series of r->out, when that has its tree and its modules. 0 or -ENOMEM. */
int resolve_series(struct resolver *r);

#endif
