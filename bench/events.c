/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * events CHAINS LIVE PAIRS: nanoseconds that profile_event() takes for an allocation and a free, with
 * CHAINS different chains of ten calls and LIVE blocks beside: once told by the frames of its chain and
 * once by the node of the call tree, in turns of which the fastest counts.
 */
#include "base/clock.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 10, TURNS = 7 };

struct told {
	uint32_t frames[DEPTH];	/* innermost first */
	uint32_t node;
};

static uint64_t state = 88172645463325252ull;

static uint64_t random_word(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* Chains that part from each other at any depth. */
static struct told *make_chains(struct profile *p, size_t n)
{
	struct told *v = calloc(n, sizeof *v);

	for (size_t i = 0; v && i < n; i++) {
		size_t parts = i ? random_word() % DEPTH : 0;

		if (i)
			v[i] = v[random_word() % i];
		for (size_t k = parts + 1; k-- > 0;) {
			struct profile_place place = { .address = random_word() % (4 * n) + 16, .module = 1 };

			v[i].frames[k] = profile_frame(p, &place);
		}
		struct alloc_chain chain = { .frames = v[i].frames, .n = DEPTH };
		v[i].node = profile_chain_node(p, &chain);
	}
	return v;
}

static double turn(struct profile *p, const struct told *v, size_t chains, size_t live, size_t pairs, bool by_node)
{
	struct block_change ignored;
	uint64_t began = clock_now_ns();

	for (size_t i = 0; i < pairs; i++) {
		const struct told *t = &v[chains == 1 ? 0 : random_word() % chains];
		taddr at = 0x10000 + 16 * (live + random_word() % (live / 4 + 64));
		struct alloc_event e = { .kind = AE_ALLOC, .ptr = at, .size = 48, .time_ns = began + i };

		if (by_node)
			e.chain.node = t->node;
		else
			e.chain = (struct alloc_chain){ .frames = t->frames, .n = DEPTH };
		profile_event(p, &e, &ignored);
		profile_event(p, &(struct alloc_event){ .kind = AE_FREE, .ptr = at, .time_ns = began + i },
			      &ignored);
	}
	return (double)(clock_now_ns() - began) / (double)pairs;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	size_t chains = strtoul(argv[1], NULL, 10), live = strtoul(argv[2], NULL, 10);
	size_t pairs = strtoul(argv[3], NULL, 10);
	double best[2] = { 1e18, 1e18 };
	struct profile *p = profile_new();
	struct told *v = p && chains ? make_chains(p, chains) : NULL;

	for (size_t i = 0; v && i < live; i++)
		profile_event(p, &(struct alloc_event){ .kind = AE_ALLOC, .ptr = 0x10000 + 16 * i, .size = 16,
							.chain = { .node = v[i % chains].node } },
			      &(struct block_change){ 0 });
	for (unsigned i = 0; v && i < 2 * TURNS; i++) {
		double ns = turn(p, v, chains, live, pairs, i % 2);

		if (ns < best[i % 2])
			best[i % 2] = ns;
	}
	if (v)
		printf("%.0f %.0f\n", best[0], best[1]);
	free(v);
	profile_free(p);
	return v ? 0 : 1;
}
