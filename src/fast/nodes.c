/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/nodes.h"

#include "base/array.h"
#include "base/zeroed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In the bits above a node's number: how its chain ends. */
#define END_SHIFT 29
#define NUMBER_MAX ((UINT32_C(1) << END_SHIFT) - 1)

struct nodes {
	const struct agent_shared *shared;
	struct nodes_host host;
	/* By the agent's node numbers, plus 1, 0: not known. leaf: the profile's node for a chain
	 * that ends there; within: the one above its children, which includes places that are
	 * hidden at a chain's inner end. */
	uint32_t *leaf, *within;
	uint32_t *path;	  /* nodes to be found in the profile, innermost first */
	size_t n_path, cap_path;
};

struct nodes *nodes_new(const struct agent_shared *shared, const struct nodes_host *host)
{
	struct nodes *n = calloc(1, sizeof *n);

	if (!n)
		return NULL;
	n->shared = shared;
	n->host = *host;
	n->leaf = zeroed_new(AGENT_NODES * sizeof *n->leaf);
	n->within = zeroed_new(AGENT_NODES * sizeof *n->within);
	if (n->leaf && n->within)
		return n;
	nodes_free(n);
	return NULL;
}

void nodes_free(struct nodes *n)
{
	if (!n)
		return;
	zeroed_free(n->leaf, AGENT_NODES * sizeof *n->leaf);
	zeroed_free(n->within, AGENT_NODES * sizeof *n->within);
	free(n->path);
	free(n);
}

void nodes_clear(struct nodes *n)
{
	memset(n->leaf, 0, AGENT_NODES * sizeof *n->leaf);
}

/* A root says how the chains below it end. */
static int tell_root(struct nodes *n, uint32_t number, uint64_t root)
{
	static const enum chain_end ends[AGENT_ROOTS] = {
		[ROOT_WHOLE] = CHAIN_WHOLE,
		[ROOT_NO_CFI] = CHAIN_NO_CFI,
		[ROOT_UNREADABLE] = CHAIN_UNREADABLE,
		[ROOT_TOO_DEEP] = CHAIN_TOO_DEEP,
	};
	uint32_t node;

	if (root < ROOT_WHOLE || root >= AGENT_ROOTS)
		return -EINVAL;
	node = root == ROOT_WHOLE ? n->host.root_whole : n->host.root_truncated;
	n->within[number] = node;
	n->leaf[number] = (node | (uint32_t)ends[root] << END_SHIFT) + 1;
	return 0;
}

static int tell_node(struct nodes *n, uint32_t number, uint64_t pc, uint32_t parent)
{
	uint32_t end = (n->leaf[parent] - 1) >> END_SHIFT, place, node;
	bool hidden = false;

	place = n->host.place(n->host.ctx, pc & NODE_PC_MASK, pc & NODE_EXACT, pc & NODE_GUESSED,
			      &hidden);
	if (place == UINT32_MAX)
		return -ENOMEM;
	node = n->host.node(n->host.ctx, n->within[parent], place);
	if (node >= NUMBER_MAX)
		return -ENOMEM;
	n->within[number] = node;
	n->leaf[number] = hidden ? n->leaf[parent] : (node | end << END_SHIFT) + 1;
	return 0;
}

/* A node whose parent is known, or that is a root. */
static int tell(struct nodes *n, uint32_t number, uint32_t parent)
{
	uint64_t pc = __atomic_load_n(&n->shared->nodes[number].pc, __ATOMIC_RELAXED);

	return parent ? tell_node(n, number, pc, parent) : tell_root(n, number, pc);
}

/* Parents have smaller numbers: so this ends, whatever is in the shared memory. */
static int climb(struct nodes *n, uint32_t number)
{
	n->n_path = 0;
	while (number && !n->leaf[number]) {
		uint32_t parent =
			__atomic_load_n(&n->shared->nodes[number].parent, __ATOMIC_RELAXED);

		if (parent >= number)
			return -EINVAL;
		if (ARRAY_RESERVE(&n->path, &n->cap_path, n->n_path))
			return -ENOMEM;
		n->path[n->n_path++] = number;
		number = parent;
	}
	/* Outermost first; with the parents that were read above, not read again. */
	for (size_t i = n->n_path; i; i--) {
		int err = tell(n, n->path[i - 1], number);

		if (err)
			return err;
		number = n->path[i - 1];
	}
	return 0;
}

/*
 * If the chain of a node has more frames than are to be kept, put the innermost of them below the
 * root of truncated chains. The node above its children stays unknown, for their chains are longer
 * still, and the depth never grows again. Returns 1 if the chain is not too long, or there is none.
 */
static int cut(struct nodes *n, uint32_t number)
{
	const unsigned depth = n->host.depth(n->host.ctx);
	uint32_t node = n->host.root_truncated;
	size_t count;
	const uint32_t *chain;

	if (!depth)
		return 1;
	chain = nodes_chain(n, number, &count);
	if (!chain || count <= depth)
		return 1;
	for (size_t i = depth; i-- > 0 && node < NUMBER_MAX;)
		node = n->host.node(n->host.ctx, node, chain[i]);
	if (node >= NUMBER_MAX)
		return -ENOMEM;
	n->leaf[number] = (node | (uint32_t)CHAIN_CUT << END_SHIFT) + 1;
	return 0;
}

int nodes_find(struct nodes *n, uint32_t agent_node, uint32_t *node, enum chain_end *end)
{
	if (!agent_node || agent_node >= AGENT_NODES)
		return -EINVAL;
	if (!n->leaf[agent_node]) {
		int err;

		if (agent_node > __atomic_load_n(&n->shared->n_nodes, __ATOMIC_ACQUIRE))
			return -EINVAL;
		err = cut(n, agent_node);
		if (err > 0)
			err = climb(n, agent_node);
		if (err)
			return err;
	}
	*node = (n->leaf[agent_node] - 1) & NUMBER_MAX;
	*end = (enum chain_end)((n->leaf[agent_node] - 1) >> END_SHIFT);
	return 0;
}

uint32_t nodes_known(const struct nodes *n, uint32_t agent_node)
{
	uint32_t leaf = agent_node < AGENT_NODES ? n->leaf[agent_node] : 0;

	return leaf ? (leaf - 1) & NUMBER_MAX : 0;
}

const uint32_t *nodes_chain(struct nodes *n, uint32_t agent_node, size_t *count)
{
	const struct agent_node *nodes = n->shared->nodes;
	uint32_t number = agent_node;

	n->n_path = 0;
	while (number && number < AGENT_NODES) {
		uint64_t pc = __atomic_load_n(&nodes[number].pc, __ATOMIC_RELAXED);
		uint32_t parent = __atomic_load_n(&nodes[number].parent, __ATOMIC_RELAXED), place;
		bool hidden = false;

		if (parent >= number)
			return NULL;
		if (!parent)
			break;
		place = n->host.place(n->host.ctx, pc & NODE_PC_MASK, pc & NODE_EXACT,
				      pc & NODE_GUESSED, &hidden);
		if (place == UINT32_MAX || ARRAY_RESERVE(&n->path, &n->cap_path, n->n_path))
			return NULL;
		if (!hidden || n->n_path)
			n->path[n->n_path++] = place;
		number = parent;
	}
	*count = n->n_path;
	/* A chain without frames must not give NULL. */
	return n->path || !ARRAY_RESERVE(&n->path, &n->cap_path, 0) ? n->path : NULL;
}
