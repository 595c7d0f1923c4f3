/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that are left out of a profile: allocation functions, and functions whose requests are
 * ignored. */
#include "naming/view_fns.h"

#include "profile/pd_tree.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>

/* What the lists say of a function: looked up once, as it is needed at each node. */
enum {
	FN_ALLOCATES = 1,
	FN_IGNORED = 2,
	FN_NAMELESS = 4,
};

struct sifting {
	const struct profile_data *d;
	uint8_t *facts;	/* by function */
	bool named;	/* the user has named allocation functions */
};

static uint8_t facts_of(const struct profile_data *d, uint32_t function, name_list alloc_fns,
			name_list ignored)
{
	const char *name = names_text(d, function);

	return (is_allocation_function(name, alloc_fns) ? FN_ALLOCATES : 0) |
	       (is_in_names(name, ignored) ? FN_IGNORED : 0) |
	       (names_nothing_names(d, function) ? FN_NAMELESS : 0);
}

/* For free(); NULL: out of memory. */
static uint8_t *all_facts(const struct profile_data *d, name_list alloc_fns, name_list ignored)
{
	size_t n = names_count(d);
	uint8_t *facts = malloc(n);

	for (size_t i = 0; facts && i < n; i++)
		facts[i] = facts_of(d, (uint32_t)i, alloc_fns, ignored);
	return facts;
}

static bool is(const struct sifting *s, uint32_t node, uint8_t fact)
{
	return node >= PD_FIRST_NODE &&
	       s->facts[names_function(s->d, s->d->nodes[node].site)] & fact;
}

/* The node without the allocation functions at its end. */
static uint32_t without_alloc_fns(const struct sifting *s, uint32_t node)
{
	while (is(s, node, FN_ALLOCATES))
		node = s->d->nodes[node].parent;
	return node;
}

/* Only the innermost function counts: by the name in reports; if it has none, the first one
 * outwards that has. */
static bool is_ignored(const struct sifting *s, uint32_t node)
{
	if (is(s, node, FN_IGNORED))
		return true;
	while (is(s, node, FN_NAMELESS))
		node = s->d->nodes[node].parent;
	return is(s, node, FN_IGNORED);
}

static void subtract(struct profile_data *d, const struct pd_leaf *l)
{
	struct pd_totals *t = &d->totals;

	struct pd_left_out *out = &d->left_out;

	d->is_part = true;
	out->allocs += l->allocs;
	out->bytes += l->allocs * l->size;
	out->frees += l->frees;
	out->freed_bytes += l->frees * l->size;
	out->peak_blocks += l->at_peak;
	out->peak_bytes += l->at_peak * l->size;
	d->reach.ignored += l->reach[PD_LOST] + l->reach[PD_LOST_THROUGH];
	t->allocs -= l->allocs;
	t->alloc_bytes -= l->allocs * l->size;
	t->frees -= l->frees;
	t->free_bytes -= l->frees * l->size;
}

/* The node at which requests at @node count. PD_NONE: they are ignored. */
static uint32_t counted_at(const struct sifting *s, uint32_t node)
{
	uint32_t at = without_alloc_fns(s, node);

	/* Built-in names alone must not make a request vanish. */
	if (at < PD_FIRST_NODE && !s->named)
		at = node;
	/* A chain of which nothing is left is ignored, but not one that was empty. */
	if ((at < PD_FIRST_NODE && at != node) || is_ignored(s, at))
		return PD_NONE;
	return at;
}

/* Removes nodes that are in no chain any more. @to: room for each node's number. */
static void drop_unused_nodes(struct profile_data *d, bool *used, uint32_t *to)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->n_nodes; i++) {
		struct pd_node node = d->nodes[i];

		to[i] = used[i] ? n : to[node.parent];
		if (!used[i]) {
			d->nodes[to[i]].resumed += node.resumed;
			continue;
		}
		if (node.parent != PD_NONE)
			node.parent = to[node.parent];
		d->nodes[n++] = node;
	}
	d->n_nodes = n;
	pd_tree_move_counts(d, to);
}

/* Marks the nodes of all chains with counts. */
static void mark_used(const struct profile_data *d, bool *used)
{
	for (uint32_t i = 0; i < PD_FIRST_NODE; i++)
		used[i] = true;
	for (size_t i = 0; i < d->n_leaves; i++)
		used[d->leaves[i].node] = true;
	for (size_t i = 0; i < d->n_lifetimes; i++)
		used[d->lifetimes[i].node] = true;
	for (size_t i = d->n_nodes; i-- > PD_FIRST_NODE;)
		used[d->nodes[i].parent] |= used[i];
}

int view_drop_functions(struct profile_data *d, name_list alloc_fns, name_list ignored)
{
	struct sifting s = { d, all_facts(d, alloc_fns, ignored), alloc_fns && *alloc_fns };
	uint32_t *to = calloc(d->n_nodes, sizeof *to);
	bool *used = calloc(d->n_nodes, sizeof *used), changed = false;
	int err = s.facts && to && used ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < d->n_nodes; i++) {
		to[i] = counted_at(&s, i);
		changed |= to[i] != i;
	}
	if (!err && changed) {
		/* Sites of functions that were named are not in held[] either. */
		d->is_folded |= s.named;
		for (size_t i = 0; i < d->n_leaves; i++)
			if (to[d->leaves[i].node] == PD_NONE)
				subtract(d, &d->leaves[i]);
		pd_tree_move_counts(d, to);
		mark_used(d, used);
		drop_unused_nodes(d, used, to);
	}
	free(s.facts);
	free(to);
	free(used);
	return err;
}
