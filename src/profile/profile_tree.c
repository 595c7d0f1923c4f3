/* SPDX-License-Identifier: BSD-2-Clause */
/* The call tree: places, nodes and leaves get their numbers, and a chain finds its node. */
#include "profile/profile_internal.h"

#include "base/array.h"

static bool place_eq(const void *owner, uint32_t id, const void *key)
{
	const struct profile_place *a = &((const struct profile *)owner)->places[id], *b = key;

	return a->address == b->address && a->module == b->module && a->exact == b->exact &&
	       a->guessed == b->guessed;
}

static uint64_t place_hash(const struct profile_place *a)
{
	return hash_mix(a->address ^ (uint64_t)a->module << 48 ^ (uint64_t)a->exact << 63 ^
			(uint64_t)a->guessed << 62);
}

static uint64_t place_rehash(const void *owner, uint32_t id)
{
	return place_hash(&((const struct profile *)owner)->places[id]);
}

static bool node_eq(const void *owner, uint32_t id, const void *key)
{
	const struct call_node *a = &((const struct profile *)owner)->nodes[id], *b = key;

	return a->parent == b->parent && a->frame == b->frame;
}

static uint64_t node_hash(const struct call_node *a)
{
	return hash_mix((uint64_t)a->parent << 32 | a->frame);
}

static uint64_t node_rehash(const void *owner, uint32_t id)
{
	return node_hash(&((const struct profile *)owner)->nodes[id]);
}

static bool leaf_eq(const void *owner, uint32_t id, const void *key)
{
	const struct call_leaf *a = &((const struct profile *)owner)->leaves[id], *b = key;

	return a->node == b->node && a->size == b->size && a->label == b->label;
}

static uint64_t leaf_hash(const struct call_leaf *a)
{
	return hash_mix(hash_mix(a->size) + ((uint64_t)a->label << 32 | a->node));
}

static uint64_t leaf_rehash(const void *owner, uint32_t id)
{
	return leaf_hash(&((const struct profile *)owner)->leaves[id]);
}

uint32_t profile_frame(struct profile *p, const struct profile_place *place)
{
	uint64_t hash = place_hash(place);
	uint32_t id = idindex_find(&p->place_index, hash, place_eq, p, place);

	if (id != IDINDEX_NONE)
		return id;
	id = (uint32_t)p->n_places;
	if (ARRAY_RESERVE(&p->places, &p->cap_places, p->n_places) ||
	    idindex_add(&p->place_index, id, hash, place_rehash, p))
		return IDINDEX_NONE;
	p->places[p->n_places++] = *place;
	return id;
}

uint32_t profile_node_below(struct profile *p, uint32_t parent, uint32_t frame)
{
	struct call_node key = { .parent = parent, .frame = frame };
	uint64_t hash = node_hash(&key);
	uint32_t id = idindex_find(&p->node_index, hash, node_eq, p, &key);

	if (id != IDINDEX_NONE)
		return id;
	id = (uint32_t)p->n_nodes;
	if (ARRAY_RESERVE(&p->nodes, &p->cap_nodes, p->n_nodes) ||
	    idindex_add(&p->node_index, id, hash, node_rehash, p))
		return IDINDEX_NONE;
	p->nodes[p->n_nodes++] = key;
	return id;
}

void profile_expect_leaf(const struct profile *p, uint32_t node, uint64_t size)
{
	const struct call_leaf key = { .node = node, .size = size };

	idindex_expect(&p->leaf_index, leaf_hash(&key));
}

uint32_t profile_guess_leaf(const struct profile *p, uint32_t node, uint64_t size)
{
	const struct call_leaf key = { .node = node, .size = size };

	return idindex_guess(&p->leaf_index, leaf_hash(&key));
}

uint32_t profile_leaf_of(struct profile *p, uint32_t node, const struct alloc_event *e)
{
	struct call_leaf key = { .node = node, .size = e->size, .label = (uint8_t)e->label };
	uint32_t *latest = &p->latest_leaf[(node * 97 + e->size / 8) % 1024];

	if (*latest < p->n_leaves && leaf_eq(p, *latest, &key))
		return *latest;
	uint64_t hash = leaf_hash(&key);
	uint32_t id = idindex_find(&p->leaf_index, hash, leaf_eq, p, &key);

	if (id != IDINDEX_NONE)
		return *latest = id;
	id = (uint32_t)p->n_leaves;
	if (id >= LIVE_MISSED)
		return IDINDEX_NONE;
	key.site = windows_site_of(&p->windows, node);
	if (key.site == IDINDEX_NONE)
		return IDINDEX_NONE;
	if (ARRAY_RESERVE(&p->leaves, &p->cap_leaves, p->n_leaves) ||
	    idindex_add(&p->leaf_index, id, hash, leaf_rehash, p))
		return IDINDEX_NONE;
	p->leaves[p->n_leaves++] = key;
	return id;
}

/*
 * Note how much of the last request's chain this one, at @node, repeats: this makes CC of the
 * prolog. Innermost elements are not compared. A node has a higher number than its parent, so of
 * two different nodes the higher one is no ancestor of the other: it climbs until they meet.
 */
static void count_resumed(struct profile *p, uint32_t node)
{
	uint32_t last = p->last, meet = node;

	p->last = node;
	if (last == PD_NONE || last < PD_FIRST_NODE || node < PD_FIRST_NODE)
		return;
	last = p->nodes[last].parent;
	meet = p->nodes[meet].parent;
	while (meet != last) {
		uint32_t *higher = meet > last ? &meet : &last;

		*higher = p->nodes[*higher].parent;
		if (*higher == PD_NONE)
			return; /* one chain was whole, the other truncated */
	}
	p->nodes[meet].resumed++;
}

/*
 * The node of a chain. Most of a chain is the same as in the one before (Zorn and Hilfinger saw 60
 * to 75%), so only the rest is looked up.
 */
static uint32_t walk_chain(struct profile *p, const struct alloc_chain *c)
{
	uint32_t root = c->truncated ? PD_ROOT_TRUNCATED : PD_ROOT_WHOLE, node = root;
	size_t same = 0;

	if (p->walked_root == root)
		while (same < c->n && same < p->n_walked &&
		       p->walked[same].frame == c->frames[c->n - 1 - same])
			same++;
	if (same)
		node = p->walked[same - 1].node;
	p->n_walked = same;
	p->walked_root = root;
	for (size_t i = same; i < c->n; i++) {
		uint32_t frame = c->frames[c->n - 1 - i];

		node = profile_node_below(p, node, frame);
		if (node == IDINDEX_NONE || ARRAY_RESERVE(&p->walked, &p->cap_walked, p->n_walked))
			return IDINDEX_NONE;
		p->walked[p->n_walked++] = (struct chain_step){ frame, node };
	}
	return node;
}

uint32_t profile_node_of_chain(struct profile *p, const struct alloc_chain *c)
{
	uint32_t node = c->node ? c->node : walk_chain(p, c);

	if (node != IDINDEX_NONE)
		count_resumed(p, node);
	return node;
}

size_t profile_chain_of(const struct profile *p, uint32_t node, uint32_t *frames, size_t max)
{
	size_t n = 0;

	for (; node >= PD_FIRST_NODE; node = p->nodes[node].parent, n++)
		if (n < max)
			frames[n] = p->nodes[node].frame;
	return n;
}

uint32_t profile_chain_node(struct profile *p, const struct alloc_chain *chain)
{
	const struct alloc_chain c = profile_cut(p, chain);
	uint32_t node = c.truncated ? PD_ROOT_TRUNCATED : PD_ROOT_WHOLE;

	for (size_t i = c.n; i-- > 0 && node != IDINDEX_NONE;)
		node = profile_node_below(p, node, c.frames[i]);
	return node;
}

struct alloc_chain profile_cut(const struct profile *p, const struct alloc_chain *c)
{
	struct alloc_chain cut = *c;

	if (p->spared.depth && !c->node && c->n > p->spared.depth) {
		cut.n = p->spared.depth;
		cut.truncated = CHAIN_CUT;
	}
	return cut;
}
