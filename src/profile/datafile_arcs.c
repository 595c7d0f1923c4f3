/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/datafile_arcs.h"

#include <errno.h>
#include <stdlib.h>

/* What a node and all nodes below it requested. */
struct sum {
	uint64_t calls;
	uint64_t bytes[4];
};

static unsigned class_of(uint64_t size)
{
	return size <= 32 ? 0 : size <= 256 ? 1 : size <= 2048 ? 2 : 3;
}

/* A parent stands before its children, so one pass from the end carries all sums to the roots. */
static struct sum *subtree_sums(const struct profile_data *d)
{
	struct sum *sums = calloc(d->n_nodes, sizeof *sums);

	if (!sums)
		return NULL;
	for (size_t i = 0; i < d->n_leaves; i++) {
		const struct pd_leaf *l = &d->leaves[i];

		sums[l->node].calls += l->allocs;
		sums[l->node].bytes[class_of(l->size)] += l->allocs * l->size;
	}
	for (size_t i = d->n_nodes; i-- > PD_FIRST_NODE;) {
		struct sum *up = &sums[d->nodes[i].parent];

		up->calls += sums[i].calls;
		for (int c = 0; c < 4; c++)
			up->bytes[c] += sums[i].bytes[c];
	}
	return sums;
}

/* One step of the chains through a node: from its parent's function to its own. */
struct step {
	uint64_t functions;	/* caller << 32 | callee */
	uint32_t node;
};

static uint64_t function_of(const struct profile_data *d, uint32_t node)
{
	return d->sites[d->nodes[node].site].function;
}

/* All steps that requests took. @steps has room for one per node. Returns their number. */
static size_t list_steps(const struct profile_data *d, const struct sum *sums, struct step *steps)
{
	size_t n = 0;

	for (uint32_t i = PD_FIRST_NODE; i < d->n_nodes; i++) {
		uint32_t parent = d->nodes[i].parent;

		if (parent >= PD_FIRST_NODE && sums[i].calls)
			steps[n++] = (struct step){ function_of(d, parent) << 32 |
						    function_of(d, i), i };
	}
	return n;
}

static int by_functions(const void *x, const void *y)
{
	const struct step *a = x, *b = y;

	return a->functions < b->functions ? -1 : a->functions > b->functions;
}

/* Makes one arc of each run of equal steps. Returns the number of arcs. */
static size_t add_steps(const struct step *steps, size_t n, const struct sum *sums,
			struct datafile_arc *arcs)
{
	struct datafile_arc *a = arcs;

	for (size_t i = 0; i < n; i++) {
		const struct sum *s = &sums[steps[i].node];

		if (i && steps[i].functions != steps[i - 1].functions)
			a++;
		a->caller = (uint32_t)(steps[i].functions >> 32);
		a->callee = (uint32_t)steps[i].functions;
		a->calls += s->calls;
		for (int c = 0; c < 4; c++)
			a->bytes[c] += s->bytes[c];
	}
	return n ? (size_t)(a - arcs) + 1 : 0;
}

static size_t count_runs(const struct step *steps, size_t n)
{
	size_t runs = n > 0;

	for (size_t i = 1; i < n; i++)
		runs += steps[i].functions != steps[i - 1].functions;
	return runs;
}

int datafile_arcs(const struct profile_data *d, struct datafile_arc **arcs, size_t *n)
{
	struct sum *sums = subtree_sums(d);
	struct step *steps = malloc(d->n_nodes * sizeof *steps);
	int err = -ENOMEM;

	*arcs = NULL;
	*n = 0;
	if (!sums || !steps)
		goto out;
	size_t n_steps = list_steps(d, sums, steps);
	qsort(steps, n_steps, sizeof *steps, by_functions);
	*arcs = calloc(count_runs(steps, n_steps) + 1, sizeof **arcs);
	if (!*arcs)
		goto out;
	*n = add_steps(steps, n_steps, sums, *arcs);
	err = 0;
out:
	free(sums);
	free(steps);
	return err;
}
