/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds profiles by hand for the tests of the reports. A chain is written as table 2 prints it:
 *
 *	struct profile_data *d = profile_data_new();
 *	pd_build_chain(d, "main+31 > make_widget+18", 204, 10, 4);	10 requests, 4 freed
 *	pd_build_finish(d);						totals, order of the leaves
 *
 * "f#2+9" is a second function called f. Functions get increasing addresses in order of their first
 * use. If memory runs out, an assertion fails. Not fast: thousands of nodes at most.
 */
#ifndef MPROF_TESTS_PD_BUILD_H
#define MPROF_TESTS_PD_BUILD_H

#include "profile/profile_data.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void *pd_build_grow(void *items, size_t n, size_t size)
{
	void *grown = reallocarray(items, n + 1, size);

	assert(grown);
	return grown;
}

/* The function of this key: a name, or name#number. The key is kept as its linkage name. */
static inline uint32_t pd_build_function(struct profile_data *d, const char *key)
{
	for (size_t i = 0; i < d->n_functions; i++)
		if (!strcmp(d->functions[i].linkage, key))
			return (uint32_t)i;
	d->functions = pd_build_grow(d->functions, d->n_functions, sizeof *d->functions);
	d->functions[d->n_functions] = (struct pd_function){
		.name = strndup(key, strcspn(key, "#")),
		.linkage = strdup(key),
		.module = PD_NONE,
		.address = 0x1000 * (d->n_functions + 1),
	};
	return (uint32_t)d->n_functions++;
}

static inline uint32_t pd_build_site(struct profile_data *d, const char *key, uint64_t offset)
{
	uint32_t function = pd_build_function(d, key);
	uint64_t address = d->functions[function].address + offset;

	for (size_t i = 0; i < d->n_sites; i++)
		if (d->sites[i].function == function && d->sites[i].offset == offset)
			return (uint32_t)i;
	d->sites = pd_build_grow(d->sites, d->n_sites, sizeof *d->sites);
	d->sites[d->n_sites] = (struct pd_site){
		.function = function, .address = address, .offset = offset,
	};
	return (uint32_t)d->n_sites++;
}

static inline uint32_t pd_build_node(struct profile_data *d, uint32_t parent, uint32_t site)
{
	for (size_t i = PD_FIRST_NODE; i < d->n_nodes; i++)
		if (d->nodes[i].parent == parent && d->nodes[i].site == site)
			return (uint32_t)i;
	d->nodes = pd_build_grow(d->nodes, d->n_nodes, sizeof *d->nodes);
	d->nodes[d->n_nodes] = (struct pd_node){ .parent = parent, .site = site };
	return (uint32_t)d->n_nodes++;
}

/* The node of a chain below @root; "" is the root itself. An element without + has offset 0. */
static inline uint32_t pd_build_path(struct profile_data *d, uint32_t root, const char *chain)
{
	char *copy = strdup(chain), *save = NULL;
	uint32_t node = root;

	assert(copy);
	for (char *e = strtok_r(copy, "> ", &save); e; e = strtok_r(NULL, "> ", &save)) {
		char *plus = strchr(e, '+');
		uint64_t offset = plus ? strtoull(plus + 1, NULL, 10) : 0;

		if (plus)
			*plus = '\0';
		node = pd_build_node(d, node, pd_build_site(d, e, offset));
	}
	free(copy);
	return node;
}

static inline void pd_build_leaf(struct profile_data *d, uint32_t node, uint64_t size,
				 uint64_t allocs, uint64_t frees)
{
	for (size_t i = 0; i < d->n_leaves; i++) {
		if (d->leaves[i].node != node || d->leaves[i].size != size)
			continue;
		d->leaves[i].allocs += allocs;
		d->leaves[i].frees += frees;
		return;
	}
	d->leaves = pd_build_grow(d->leaves, d->n_leaves, sizeof *d->leaves);
	d->leaves[d->n_leaves++] = (struct pd_leaf){
		.node = node, .size = size, .allocs = allocs, .frees = frees,
	};
}

/* @allocs requests of @size bytes whose chain is @chain, whole; @frees of them were freed. */
static inline void pd_build_chain(struct profile_data *d, const char *chain, uint64_t size,
				  uint64_t allocs, uint64_t frees)
{
	pd_build_leaf(d, pd_build_path(d, PD_ROOT_WHOLE, chain), size, allocs, frees);
}

/* The same for a chain that could not be followed to its end. */
static inline void pd_build_cut_chain(struct profile_data *d, const char *chain, uint64_t size,
				      uint64_t allocs, uint64_t frees)
{
	pd_build_leaf(d, pd_build_path(d, PD_ROOT_TRUNCATED, chain), size, allocs, frees);
	d->totals.truncated_chains += allocs;
}

/*
 * Count for CC of the prolog that a request at the end of chain @node follows one at @before:
 * resumed of the place where they part, without the innermost element of either.
 */
static inline void pd_build_resume(struct profile_data *d, uint32_t before, uint32_t node)
{
	before = before < PD_FIRST_NODE ? before : d->nodes[before].parent;
	node = node < PD_FIRST_NODE ? node : d->nodes[node].parent;
	while (before != node) {	/* parents have smaller numbers */
		uint32_t *deeper = before > node ? &before : &node;

		if (*deeper < PD_FIRST_NODE)
			return;
		*deeper = d->nodes[*deeper].parent;
	}
	d->nodes[node].resumed++;
}

/* Types are to be added in the order profile_data.h asks for. */
static inline void pd_build_type(struct profile_data *d, uint64_t size, const char *name,
				 uint32_t rank)
{
	d->types = pd_build_grow(d->types, d->n_types, sizeof *d->types);
	d->types[d->n_types++] = (struct pd_type){
		.size = size, .name = strdup(name), .rank = rank,
	};
}

static inline int pd_build_by_node(const void *left, const void *right)
{
	const struct pd_leaf *a = left, *b = right;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->size < b->size ? -1 : a->size > b->size;
}

static inline void pd_build_finish(struct profile_data *d)
{
	if (d->n_leaves)
		qsort(d->leaves, d->n_leaves, sizeof *d->leaves, pd_build_by_node);
	for (size_t i = 0; i < d->n_leaves; i++) {
		struct pd_leaf *l = &d->leaves[i];

		l->at_peak = l->allocs;
		d->totals.allocs += l->allocs;
		d->totals.alloc_bytes += l->allocs * l->size;
		d->totals.frees += l->frees;
		d->totals.free_bytes += l->frees * l->size;
	}
	d->totals.peak_bytes = d->totals.alloc_bytes;
}

#endif
