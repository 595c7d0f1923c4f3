/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How free chunks point at each other. From 2.32 on links are mangled; a single link may seem to
 * lead to a chunk both plain and mangled, as on heaps at low addresses, where mangling changes only
 * the low bits. So it is decided by a list that leads from chunk to chunk to its end in only one of
 * the two ways.
 */
#include "heapwalk/glibc_internal.h"

size_t glibc_live_chunk(const struct glibc *g, taddr chunk, uint64_t size)
{
	const struct heap_blocks *b = &g->w->blocks;
	size_t i = chunk % CHUNK_UNIT ? HEAP_NO_CHUNK : heap_blocks_find(b, chunk);

	if (i == HEAP_NO_CHUNK || b->states[i] != HEAP_LIVE ||
	    heap_chunk_size(&b->chunks[i]) != size)
		return HEAP_NO_CHUNK;
	return i;
}

static bool ends(struct glibc *g, taddr at, uint64_t size, unsigned behind, bool mangled)
{
	size_t most = g->w->blocks.n_chunks;

	for (; at && most && g->steps; most--, g->steps--) {
		taddr link = at - behind + CHUNK_NEXT;

		if (glibc_live_chunk(g, at - behind, size) == HEAP_NO_CHUNK)
			return false;
		at = glibc_link(link, still_word_or_0(&g->r, link), mangled);
	}
	return !at;
}

void glibc_links_learn(struct glibc *g, taddr first, uint64_t size, unsigned behind)
{
	if (g->links != LINKS_UNKNOWN || !first || !g->steps)
		return;
	bool plain = ends(g, first, size, behind, false);
	bool mangled = ends(g, first, size, behind, true);
	if (!g->steps)
		heap_check_fail(g->w, CHECK_LISTS, "lists are so long that they were given up");
	else if (plain != mangled)
		g->links = plain ? LINKS_PLAIN : LINKS_MANGLED;
}
