/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds a binary tree depth first, so that hardly any two successive requests share a chain. */
#include "target.h"

enum { DEPTH = 10, NODE = 1553, LEAF = 1559 };

struct node {
	struct node *child[2];
};

static NOINLINE struct node *build(int depth)
{
	size_t n = depth ? NODE : LEAF;
	struct node *t = fill(malloc(n), n, 0);

	if (depth) {
		t->child[0] = build(depth - 1);
		t->child[1] = build(depth - 1);
	}
	return t;
}

static NOINLINE void prune(struct node *t)
{
	if (!t)
		return;
	prune(t->child[0]);
	prune(t->child[1]);
	free(t);
}

int main(void)
{
	struct node *t = build(DEPTH);

	prune(t->child[1]); /* half of the leaves, and half of the nodes without the root */
	bin(NODE, (1 << DEPTH) - 1, (1 << (DEPTH - 1)) - 1);
	bin(LEAF, 1 << DEPTH, 1 << (DEPTH - 1));
	say("depthfirst: %d leaves left\n", 1 << (DEPTH - 1));
	return 0;
}
