/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/chain_ends.h"

#include "base/array.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>

void chain_ends_release(struct chain_ends *e)
{
	free(e->of);
	free(e->nodes);
	idindex_release(&e->index);
	*e = (struct chain_ends){0};
}

/* What the hash and compare functions need. */
struct ends_of {
	const struct chain_ends *ends;
	const struct profile *p;
};

static uint64_t end_hash(const struct profile *p, uint32_t node)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < CHAIN_END && node >= PD_FIRST_NODE; i++) {
		hash = hash_add(hash, p->nodes[node].frame);
		node = p->nodes[node].parent;
	}
	return hash;
}

static bool has_end(const void *owner, uint32_t id, const void *key)
{
	const struct ends_of *o = owner;
	uint32_t a = o->ends->nodes[id], b = *(const uint32_t *)key;

	for (unsigned i = 0; i < CHAIN_END && a != b; i++) {
		if (a < PD_FIRST_NODE || b < PD_FIRST_NODE)
			return a < PD_FIRST_NODE && b < PD_FIRST_NODE;
		if (o->p->nodes[a].frame != o->p->nodes[b].frame)
			return false;
		a = o->p->nodes[a].parent;
		b = o->p->nodes[b].parent;
	}
	return true;
}

static uint64_t rehash(const void *owner, uint32_t id)
{
	const struct ends_of *o = owner;

	return end_hash(o->p, o->ends->nodes[id]);
}

/* The number of the end of @node's chain. IDINDEX_NONE: out of memory. */
static uint32_t end_of(struct chain_ends *e, const struct profile *p, uint32_t node)
{
	const struct ends_of owner = {e, p};
	uint64_t hash = end_hash(p, node);
	uint32_t id = idindex_find(&e->index, hash, has_end, &owner, &node);

	if (id != IDINDEX_NONE)
		return id;
	id = (uint32_t)e->n;
	if (ARRAY_RESERVE(&e->nodes, &e->cap, e->n))
		return IDINDEX_NONE;
	e->nodes[id] = node;
	if (idindex_add(&e->index, id, hash, rehash, &owner))
		return IDINDEX_NONE;
	e->n++;
	return id;
}

int chain_ends_update(struct chain_ends *e, const struct profile *p)
{
	while (e->n_of < p->windows.n_sites) {
		uint32_t id;

		if (ARRAY_RESERVE(&e->of, &e->cap_of, e->n_of))
			return -ENOMEM;
		id = end_of(e, p, p->windows.sites[e->n_of].node);
		if (id == IDINDEX_NONE)
			return -ENOMEM;
		e->of[e->n_of++] = id;
	}
	return 0;
}
