/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_TREE_INTERNAL_H
#define MPROF_HTML_TREE_INTERNAL_H

#include "html/strings.h"
#include "profile/profile_data.h"

/* Requests of the chains that end at a node. */
struct own {
	uint64_t allocs, bytes, frees, free_bytes, peak_blocks, peak_bytes, temporary;
	struct pd_sum runtime;	     /* the part of what is kept that the runtime keeps, see
				        profile/runtime.h */
	struct pd_sum lost, hanging; /* lost directly; lost through other lost blocks */
	uint64_t size;	  /* of each block, if all have the same */
	bool sizes_differ;
};

/* The elements of one kind that occur in the page, by their numbers in the profile; each has an
 * index here. */
struct chosen {
	uint32_t *v;
	size_t n;
	uint32_t *number; /* by number in the profile: its index here, or PD_NONE */
};

/*
 * What is written of a profile's tree. Besides the profile's own sites there is one more, number
 * d->n_sites, in a function called "?": that of the empty chain.
 */
struct tree {
	const struct profile_data *d;
	const uint64_t *same; /* by function: its number in a difference; NULL: no difference */
	struct own *own;      /* by node */
	bool *holders;	      /* by site: own_code_holders() */
	struct chosen nodes; /* depth first */
	struct chosen sites, functions, modules;
	uint32_t *leaves; /* indices of the nodes that have requests of their own */
	size_t n_leaves;
	struct strings strings;
	/* By index: numbers of strings, for the names of functions, the files of sites, the paths
	 * of modules; PD_NONE: unknown. */
	uint32_t *function_name, *site_file, *module_path;
	struct tree_type {
		uint32_t node, name; /* index of the node, and number of the string */
		uint8_t certain;
	} * types;
	size_t n_types, cap_types;
};

/* The index of an element; -1: it does not occur. */
static inline int64_t tree_place(const struct chosen *c, uint32_t element)
{
	return c->number[element] == PD_NONE ? -1 : (int64_t)c->number[element];
}

/* True for the root of truncated chains, which has no site. */
static inline bool tree_is_cut(uint32_t node)
{
	return node == PD_ROOT_TRUNCATED;
}

/* The site of any other node. */
static inline uint32_t tree_site(const struct tree *t, uint32_t node)
{
	return node == PD_ROOT_WHOLE ? (uint32_t)t->d->n_sites : t->d->nodes[node].site;
}

/* The module of a function, or PD_NONE. */
static inline uint32_t tree_module(const struct tree *t, uint32_t function)
{
	return function < t->d->n_functions ? t->d->functions[function].module : PD_NONE;
}

#endif
