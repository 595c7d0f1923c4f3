/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_TREE_INTERNAL_H
#define MPROF_HTML_TREE_INTERNAL_H

#include "html/strings.h"
#include "profile/profile_data.h"

/* What was requested at the very end of a chain. */
struct own {
	uint64_t allocs, bytes, frees, free_bytes, peak_blocks, peak_bytes, temporary;
	struct pd_sum runtime;	     /* of what is kept: the runtime's, see profile/runtime.h */
	struct pd_sum lost, hanging; /* directly, and what goes with it */
	uint64_t size;	  /* of each block, unless there are */
	bool sizes_differ;
};

/* Of some elements of the profile the ones that occur, by their numbers in the profile; each has
 * the number of its place here. */
struct chosen {
	uint32_t *v;
	size_t n;
	uint32_t *number; /* by number in the profile: its place, PD_NONE: it has none */
};

/*
 * What is written of a profile's tree. Besides the profile's own there is one more site, number
 * d->n_sites, in a function that is called "?": where the empty chain ends.
 */
struct tree {
	const struct profile_data *d;
	const uint64_t *same; /* by function: its number in a difference; NULL: it is in none */
	struct own *own;      /* by node */
	bool *holders;	      /* by site: own_code_holders() */
	struct chosen nodes; /* depth first */
	struct chosen sites, functions, modules;
	uint32_t *leaves; /* places of the nodes that have something of their own */
	size_t n_leaves;
	struct strings strings;
	/* Numbers of strings: of the names of functions, of the files of sites, of the paths of
	 * modules, by place; PD_NONE: no file is known. */
	uint32_t *function_name, *site_file, *module_path;
	struct tree_type {
		uint32_t node, name; /* a place and a string */
		uint8_t certain;
	} * types;
	size_t n_types, cap_types;
};

/* The place of an element that may not have one; -1: it has none. */
static inline int64_t tree_place(const struct chosen *c, uint32_t element)
{
	return c->number[element] == PD_NONE ? -1 : (int64_t)c->number[element];
}

/* Does a node stand for no site, but for the chains that were cut? */
static inline bool tree_is_cut(uint32_t node)
{
	return node == PD_ROOT_TRUNCATED;
}

/* The site of a node that stands for one. */
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
