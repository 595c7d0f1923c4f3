/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_NODES_H
#define MPROF_FAST_NODES_H

#include "agent/layout.h"
#include "alloc_event.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Translates nodes of the agent's call tree to those of the profile: each once, when it is first
 * seen, so that a known chain costs one load.
 */
struct nodes;

/* The profile's side. */
struct nodes_host {
	/* The number of the place of a pc; *hidden: it is part of the allocator, and left out at a
	 * chain's inner end. UINT32_MAX: out of memory. */
	uint32_t (*place)(void *ctx, taddr pc, bool exact, bool guessed, bool *hidden);
	/* The node that a place leads to from @parent. UINT32_MAX: out of memory. */
	uint32_t (*node)(void *ctx, uint32_t parent, uint32_t place);
	/* The roots of chains that were followed to their end, and of others. */
	uint32_t root_whole, root_truncated;
	void *ctx;
	/* How many of a chain's frames, the innermost, are to be kept; 0: all. It only
	 * decreases. */
	unsigned (*depth)(void *ctx);
};

/* NULL: out of memory. @shared stays the caller's. */
struct nodes *nodes_new(const struct agent_shared *shared, const struct nodes_host *host);
void nodes_free(struct nodes *n);

/* The agent's tables have been emptied. */
void nodes_clear(struct nodes *n);

/**
 * The profile's node for one of the agent's, and how its chain ends.
 * Returns 0, -ENOMEM, or -EINVAL: there is no such node, the program has damaged the shared memory.
 */
int nodes_find(struct nodes *n, uint32_t agent_node, uint32_t *node, enum chain_end *end);

/* The profile's node for one of the agent's, if that has been found before; or 0. */
uint32_t nodes_known(const struct nodes *n, uint32_t agent_node);

/* The places of a chain that nodes_find() has found, innermost first, *count of them; good until
 * the next call. NULL: out of memory, or the program has damaged the shared memory. */
const uint32_t *nodes_chain(struct nodes *n, uint32_t agent_node, size_t *count);

#endif
