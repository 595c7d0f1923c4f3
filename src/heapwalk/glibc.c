/* SPDX-License-Identifier: BSD-2-Clause */
#include "heapwalk/glibc_internal.h"

#include "base/array.h"

#include <errno.h>

static int add_arenas(struct glibc *g)
{
	struct heap_walk *w = g->w;

	for (size_t i = 0; i < g->arenas.n; i++) {
		taddr at = g->arenas.v[i];

		if (ARRAY_RESERVE(&w->arenas, &w->cap_arenas, w->n_arenas))
			return -ENOMEM;
		w->arenas[w->n_arenas++] = (struct heap_arena){
			.at = at,
			.system = still_word_or_0(&g->r, glibc_bins(g, at) + STATE_SYSTEM),
		};
	}
	w->main_arena = g->arenas.v[0];
	return heap_add_own(w, w->main_arena, glibc_bins(g, w->main_arena) + STATE_END);
}

/* The first word of an arena is its mutex. */
static void check_mutexes(struct glibc *g)
{
	for (size_t i = 0; i < g->arenas.n; i++) {
		uint32_t mutex = 0;

		still_int(&g->r, g->arenas.v[i], &mutex);
		if (mutex)
			heap_check_fail(g->w, CHECK_MUTEXES, "arena %zu was being changed", i);
	}
}

static int walk(struct glibc *g)
{
	for (int i = 0; i < N_HEAP_CHECKS; i++)
		g->w->checks[i].done = true;
	glibc_params_find(g);
	int err = add_arenas(g);
	if (!err)
		err = glibc_heaps_walk(g);
	if (!err)
		err = glibc_mapped_walk(g);
	if (err)
		return err;
	/* Each chunk is in one list, which is followed twice: more steps mean that a list is
	 * circular. */
	g->steps = 4 * (uint64_t)g->w->blocks.n_chunks + 64;
	check_mutexes(g);
	if (g->arenas.given_up)
		heap_check_fail(g->w, CHECK_MEMORY,
				"so much looks like arenas that not all of it was looked at");
	heap_check_memory(g->w, g->s);
	glibc_caches_walk(g);
	glibc_lists_walk(g);
	glibc_keyed_take(g);
	heap_walk_sum_up(g->w);
	return 0;
}

int glibc_walk(const struct still *s, struct heap_walk *w)
{
	struct glibc g = {.s = s, .r = still_reader(s), .w = w};
	int err = glibc_arenas_find(s, &g.arenas);

	*w = (struct heap_walk){.allocator = HEAP_GLIBC,
				.blocks.cut = {CHUNK_HEADER, CHUNK_OVERHEAD, MAPPED_OVERHEAD}};
	if (!err)
		err = walk(&g);
	glibc_arenas_release(&g.arenas);
	if (err)
		heap_walk_release(w);
	return err;
}
