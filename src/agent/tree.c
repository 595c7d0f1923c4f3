/* SPDX-License-Identifier: BSD-2-Clause */
/* The call tree, which all threads grow at the same time. */
#include "agent/agent_internal.h"

static uint64_t hash_of(uint32_t parent, uint64_t pc, uint32_t epoch)
{
	uint64_t h = pc * UINT64_C(0x9e3779b97f4a7c15) ^ ((uint64_t)epoch << 32 | parent);

	h ^= h >> 32;
	h *= UINT64_C(0xff51afd7ed558ccd);
	return h ^ h >> 29;
}

/* A new node that other threads do not know yet. 0: there is none left. */
static uint32_t new_node(struct agent_shared *s, uint32_t parent, uint64_t pc, uint32_t epoch)
{
	uint32_t n;

	if (__atomic_load_n(&s->n_nodes, __ATOMIC_RELAXED) >= AGENT_NODES - 1)
		return 0;
	n = __atomic_add_fetch(&s->n_nodes, 1, __ATOMIC_RELAXED);
	if (n >= AGENT_NODES)
		return 0;
	s->nodes[n] = (struct agent_node){ .pc = pc, .parent = parent, .epoch = epoch };
	return n;
}

/* Roots of different epochs differ; other nodes belong to the epoch of their root. */
static bool is_node(const struct agent_node *n, uint32_t parent, uint64_t pc, uint32_t epoch)
{
	return n->pc == pc && n->parent == parent && (parent || n->epoch == epoch);
}

uint32_t agent_node_below(struct agent_shared *s, uint32_t parent, uint64_t pc, uint32_t epoch)
{
	uint64_t hash = hash_of(parent, pc, parent ? 0 : epoch);
	uint64_t tag = hash >> 32 << 32;
	uint32_t i = (uint32_t)hash % AGENT_NODE_SLOTS, mine = 0;

	/* There are twice as many slots as nodes: so there is an empty one, unless the index is
	 * damaged. */
	for (uint32_t looks = 0; looks < AGENT_NODE_SLOTS; looks++) {
		uint64_t *slot = &s->node_index[(i + looks) % AGENT_NODE_SLOTS];
		uint64_t there = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (!there) {
			if (!mine && !(mine = new_node(s, parent, pc, epoch)))
				return 0;
			if (__atomic_compare_exchange_n(slot, &there, tag | mine, false,
							__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
				return mine;
			/* Another thread was first, maybe with the same node: ours is left
			 * unused. */
		}
		if (there >> 32 << 32 == tag &&
		    is_node(&s->nodes[(uint32_t)there % AGENT_NODES], parent, pc, epoch))
			return (uint32_t)there % AGENT_NODES;
	}
	return 0;
}

/* ---- recent nodes ---- */

uint64_t agent_node_key(uint64_t outer, uint64_t pc)
{
	uint64_t h = (outer ^ pc) * UINT64_C(0x9e3779b97f4a7c15);

	return h ^ h >> 32;
}

static uint64_t *recent_at(struct agent_shared *s, uint64_t key)
{
	return &s->recent[key % AGENT_RECENT_SLOTS];
}

/* The node that was last found by @key, not checked; 0: none. */
static uint32_t recent_node(struct agent_shared *s, uint64_t key)
{
	uint64_t there = __atomic_load_n(recent_at(s, key), __ATOMIC_ACQUIRE);

	return there >> 32 == key >> 32 ? (uint32_t)there % AGENT_NODES : 0;
}

void agent_nodes_expect(struct agent_shared *s, const uint64_t *keys, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		__builtin_prefetch(recent_at(s, keys[i]));
	for (uint32_t i = 0; i < n; i++)
		__builtin_prefetch(&s->nodes[recent_node(s, keys[i])]);
}

uint32_t agent_node_recent(struct agent_shared *s, uint64_t key, uint32_t parent, uint64_t pc,
			   uint32_t epoch)
{
	uint32_t node = recent_node(s, key);

	if (node && is_node(&s->nodes[node], parent, pc, epoch))
		return node;
	node = agent_node_below(s, parent, pc, epoch);
	if (node)
		__atomic_store_n(recent_at(s, key), key >> 32 << 32 | node, __ATOMIC_RELEASE);
	return node;
}
