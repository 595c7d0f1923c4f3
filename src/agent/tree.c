/* SPDX-License-Identifier: BSD-2-Clause */
/* The call tree, which all threads let grow at the same time. */
#include "agent/agent_internal.h"

static uint64_t hash_of(uint32_t parent, uint64_t pc, uint32_t epoch)
{
	uint64_t h = pc * UINT64_C(0x9e3779b97f4a7c15) ^ ((uint64_t)epoch << 32 | parent);

	h ^= h >> 32;
	h *= UINT64_C(0xff51afd7ed558ccd);
	return h ^ h >> 29;
}

/* A node that nobody else knows yet. 0: there is none left. */
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

/* Roots of different epochs differ; other nodes have an epoch by their parents. */
static bool is_node(const struct agent_node *n, uint32_t parent, uint64_t pc, uint32_t epoch)
{
	return n->pc == pc && n->parent == parent && (parent || n->epoch == epoch);
}

uint32_t agent_node_below(struct agent_shared *s, uint32_t parent, uint64_t pc, uint32_t epoch)
{
	uint64_t hash = hash_of(parent, pc, parent ? 0 : epoch);
	uint64_t tag = hash >> 32 << 32;
	uint32_t i = (uint32_t)hash % AGENT_NODE_SLOTS, mine = 0;

	/* There are twice as many slots as nodes: an empty one comes, if nobody has damaged the
	 * index. */
	for (uint32_t looks = 0; looks < AGENT_NODE_SLOTS; looks++) {
		uint64_t *slot = &s->node_index[(i + looks) % AGENT_NODE_SLOTS];
		uint64_t there = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (!there) {
			if (!mine && !(mine = new_node(s, parent, pc, epoch)))
				return 0;
			if (__atomic_compare_exchange_n(slot, &there, tag | mine, false,
							__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
				return mine;
			/* Somebody else was first, perhaps with the same node: ours is left
			 * unused. */
		}
		if (there >> 32 << 32 == tag &&
		    is_node(&s->nodes[(uint32_t)there % AGENT_NODES], parent, pc, epoch))
			return (uint32_t)there % AGENT_NODES;
	}
	return 0;
}
