/* SPDX-License-Identifier: BSD-2-Clause */
/* Fastbins, whose chunks are marked as in use, and bins, which serve as a check. */
#include "heapwalk/glibc_internal.h"

/* ---- fastbins ---- */

static void walk_fastbin(struct glibc *g, size_t arena, int bin)
{
	taddr chunk =
		still_word_or_0(&g->r, glibc_bins(g, g->arenas.v[arena]) +
					       (taddr)(int64_t)STATE_FASTBINS + (taddr)bin * 8);
	uint64_t size = CHUNK_MIN + (uint64_t)bin * CHUNK_UNIT;

	glibc_links_learn(g, chunk, size, 0);
	while (chunk) {
		size_t i = glibc_live_chunk(g, chunk, size);

		if (i == HEAP_NO_CHUNK) {
			heap_check_fail(g->w, CHECK_LISTS, "0x%llx is in a fastbin of arena %zu",
					(unsigned long long)chunk, arena);
			return;
		}
		g->w->blocks.states[i] = HEAP_FAST;
		chunk = glibc_link(chunk + CHUNK_NEXT, still_word_or_0(&g->r, chunk + CHUNK_NEXT),
				   g->links == LINKS_MANGLED);
	}
}

/* ---- bins ---- */

static void walk_bin(struct glibc *g, size_t arena, taddr pair)
{
	taddr head = pair - CHUNK_NEXT, chunk = still_word_or_0(&g->r, pair);

	/* No chunk is taken twice, so the walk ends. */
	while (chunk != head) {
		size_t i = heap_blocks_find(&g->w->blocks, chunk);

		if (i == HEAP_NO_CHUNK || g->w->blocks.states[i] != HEAP_FREE) {
			heap_check_fail(g->w, CHECK_BINS, "0x%llx is in a bin of arena %zu",
					(unsigned long long)chunk, arena);
			return;
		}
		g->w->blocks.states[i] = HEAP_BINNED;
		chunk = still_word_or_0(&g->r, chunk + CHUNK_NEXT);
	}
}

static void check_all_binned(struct glibc *g)
{
	const struct heap_blocks *b = &g->w->blocks;

	for (size_t p = 0; p < b->n_pieces; p++)
		for (size_t i = 0; i < b->pieces[p].n; i++)
			if (b->states[b->pieces[p].first + i] == HEAP_FREE)
				heap_check_fail(
					g->w, CHECK_BINS, "the free chunk at 0x%llx is in none",
					(unsigned long long)heap_chunk_at(
						&b->pieces[p], &b->chunks[b->pieces[p].first + i]));
}

void glibc_lists_walk(struct glibc *g)
{
	for (size_t i = 0; i < g->arenas.n; i++) {
		for (int k = 0; k < N_FASTBINS && g->arenas.before_bins >= WITH_FASTBINS; k++)
			walk_fastbin(g, i, k);
		for (int k = 0; k < N_BINS; k++)
			walk_bin(g, i, glibc_bins(g, g->arenas.v[i]) + (taddr)k * 16);
	}
	check_all_binned(g);
}
