/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/tree.h"

#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool node_eq(const void *owner, uint32_t id, const void *key)
{
	const struct massif_node *a = &((const struct massif_tree *)owner)->nodes[id], *b = key;

	return a->parent == b->parent && a->entry == b->entry;
}

static uint64_t node_hash(const struct massif_node *a)
{
	return hash_mix((uint64_t)a->parent << 32 | a->entry);
}

static uint64_t node_rehash(const void *owner, uint32_t id)
{
	return node_hash(&((const struct massif_tree *)owner)->nodes[id]);
}

int massif_tree_init(struct massif_tree *t, const struct massif_entry *entries)
{
	*t = (struct massif_tree){ .entries = entries };
	if (ARRAY_RESERVE(&t->nodes, &t->cap, t->n))
		return -ENOMEM;
	t->nodes[t->n++] = (struct massif_node){ IDINDEX_NONE, IDINDEX_NONE };
	return 0;
}

void massif_tree_release(struct massif_tree *t)
{
	free(t->nodes);
	idindex_release(&t->index);
	*t = (struct massif_tree){ 0 };
}

static uint32_t child_of(struct massif_tree *t, uint32_t parent, uint32_t entry)
{
	struct massif_node key = { parent, entry };
	uint64_t hash = node_hash(&key);
	uint32_t id = idindex_find(&t->index, hash, node_eq, t, &key);

	if (id != IDINDEX_NONE)
		return id;
	id = (uint32_t)t->n;
	if (ARRAY_RESERVE(&t->nodes, &t->cap, t->n) ||
	    idindex_add(&t->index, id, hash, node_rehash, t))
		return IDINDEX_NONE;
	t->nodes[t->n++] = key;
	return id;
}

uint32_t massif_tree_add(struct massif_tree *t, const uint32_t *ids, size_t n)
{
	uint32_t node = MASSIF_TOP;

	for (size_t i = 0; i < n && node != IDINDEX_NONE; i++)
		node = child_of(t, node, ids[i]);
	return node;
}

/* ---- printing ---- */

/* A line among its siblings. */
struct sibling {
	uint64_t bytes;
	uint32_t node;		/* IDINDEX_NONE: the aggregate of small groups */
	uint64_t address;	/* 0 for the aggregate */
	uint32_t module;
};

struct printer {
	const struct massif_tree *t;
	const struct massif_weight *w;
	/* The children of a node: child[first[node]...first[node + 1]). */
	uint32_t *first, *child;
	uint64_t limit;
	double threshold;
	massif_emit *emit;
	void *ctx;
	/* What is still to be printed, the next one last; and the depth of each. */
	struct sibling *todo;
	unsigned *depths;
	size_t n_todo, cap_todo, cap_depths;
};

static void sum_up(const struct massif_tree *t, struct massif_weight *w)
{
	for (size_t i = t->n; i-- > 1;) {
		struct massif_weight *parent = &w[t->nodes[i].parent];

		parent->bytes += w[i].bytes;
		parent->known |= w[i].known;
	}
}

static int list_children(struct printer *p)
{
	const struct massif_tree *t = p->t;

	p->first = calloc(t->n + 2, sizeof *p->first);
	p->child = calloc(t->n, sizeof *p->child);
	if (!p->first || !p->child)
		return -ENOMEM;
	/* Counts are stored two places further on: filling then moves each start to its place. */
	for (size_t i = 1; i < t->n; i++)
		p->first[t->nodes[i].parent + 2]++;
	for (size_t i = 1; i < t->n + 2; i++)
		p->first[i] += p->first[i - 1];
	for (size_t i = 1; i < t->n; i++)
		p->child[p->first[t->nodes[i].parent + 1]++] = (uint32_t)i;
	return 0;
}

static uint64_t limit_of(const struct massif_cut *cut)
{
	if (!cut->useful && cut->threshold > 0)
		return 1;
	return (uint64_t)((double)cut->total * cut->threshold / 100);
}

/* Sort so that the last is printed first: fewer bytes first; the aggregate's address counts as
 * 0. */
static int last_first(const void *x, const void *y)
{
	const struct sibling *a = x, *b = y;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	if (a->address != b->address)
		return a->address > b->address ? -1 : 1;
	if (a->module != b->module)
		return a->module > b->module ? -1 : 1;
	return (a->node < b->node) - (a->node > b->node);
}

static int push(struct printer *p, const struct sibling *s, unsigned depth)
{
	if (ARRAY_RESERVE(&p->todo, &p->cap_todo, p->n_todo) ||
	    ARRAY_RESERVE(&p->depths, &p->cap_depths, p->n_todo))
		return -ENOMEM;
	p->todo[p->n_todo] = *s;
	p->depths[p->n_todo++] = depth;
	return 0;
}

/* Push the children of a node; *insignificant: how many of them went into the aggregate. */
static int push_children(struct printer *p, uint32_t node, unsigned depth, size_t *n,
			 size_t *insignificant)
{
	struct sibling rest = { .node = IDINDEX_NONE };
	size_t before = p->n_todo;
	int err = 0;

	*insignificant = 0;
	for (uint32_t i = p->first[node]; !err && i < p->first[node + 1]; i++) {
		uint32_t c = p->child[i];
		const struct massif_entry *e = &p->t->entries[p->t->nodes[c].entry];

		if (!p->w[c].known)
			continue;
		if (p->w[c].bytes < p->limit) {
			rest.bytes += p->w[c].bytes;
			++*insignificant;
			continue;
		}
		struct sibling s = { p->w[c].bytes, c, e->address, e->module };
		err = push(p, &s, depth);
	}
	if (!err && *insignificant)
		err = push(p, &rest, depth);
	*n = p->n_todo - before;
	if (!err && *n)
		qsort(&p->todo[before], *n, sizeof *p->todo, last_first);
	return err;
}

static void emit_aggregate(struct printer *p, unsigned depth, uint64_t bytes, size_t n)
{
	char text[128];

	if (n == 1)
		snprintf(text, sizeof text, "in 1 place, below massif's threshold "
					    "(%.2f%%)", p->threshold);
	else
		snprintf(text, sizeof text, "in %zu places, all below massif's threshold "
					    "(%.2f%%)", n,
			 p->threshold);
	p->emit(p->ctx, depth, 0, bytes, text);
}

/* The number of groups that an aggregate stands for: children of the node printed above it. */
struct level {
	size_t insignificant;
};

static int print_all(struct printer *p, const char *top)
{
	struct level *levels = NULL;
	size_t cap_levels = 0, n, insignificant;
	int err = push(p, &(struct sibling){ .bytes = p->w[MASSIF_TOP].bytes, .node = MASSIF_TOP },
		       0);

	while (!err && p->n_todo) {
		struct sibling s = p->todo[--p->n_todo];
		unsigned depth = p->depths[p->n_todo];

		if (s.node == IDINDEX_NONE) {
			emit_aggregate(p, depth, s.bytes, levels[depth - 1].insignificant);
			continue;
		}
		err = ARRAY_RESERVE(&levels, &cap_levels, depth);
		if (!err)
			err = push_children(p, s.node, depth + 1, &n, &insignificant);
		if (err)
			break;
		levels[depth].insignificant = insignificant;
		p->emit(p->ctx, depth, n, s.bytes,
			s.node == MASSIF_TOP ? top : p->t->entries[p->t->nodes[s.node].entry].text);
	}
	free(levels);
	return err;
}

int massif_tree_emit(const struct massif_tree *t, struct massif_weight *w,
		     const struct massif_cut *cut, massif_emit *emit, void *ctx)
{
	struct printer p = { .t = t, .w = w, .limit = limit_of(cut), .threshold = cut->threshold,
			     .emit = emit, .ctx = ctx };

	sum_up(t, w);
	int err = list_children(&p);
	if (!err)
		err = print_all(&p, cut->top);
	free(p.first);
	free(p.child);
	free(p.todo);
	free(p.depths);
	return err;
}
