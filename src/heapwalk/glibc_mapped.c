/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks with mappings of their own: whole pages, with a header in front. There is no list of them;
 * and the kernel merges their mappings, so each is searched for at the end of the one before. And
 * the kernel splits mappings where the program protects pages of a block, as below a stack, or maps
 * others into it.
 */
#include "heapwalk/glibc_internal.h"

#include "base/search.h"

#include <errno.h>

enum { PLACES = 2 };

/* Is there a header at @chunk, in the mapping that begins at @start? The chunk has to end at a page
 * boundary. */
static bool is_header(struct glibc *g, taddr start, taddr chunk, taddr end, uint64_t *size)
{
	uint64_t before, word;

	if (!still_word(&g->r, chunk, &before) || !still_word(&g->r, chunk + CHUNK_SIZE, &word) ||
	    before != chunk - start || (word & CHUNK_BITS) != CHUNK_MAPPED)
		return false;
	*size = word & ~(uint64_t)CHUNK_BITS;
	return *size >= CHUNK_MIN && *size <= end - chunk && (before + *size) % STILL_PAGE == 0;
}

/*
 * An aligned block is somewhere in its mapping, with the mapping's first header still in front,
 * which is out of date if the mapping has been resized since. So the second header decides.
 */
static bool find_aligned(struct glibc *g, taddr start, taddr end, struct heap_mapped *m)
{
	/* The block is at a multiple of an alignment that is larger than the bytes in front of
	 * it. */
	for (uint64_t align = 2 * CHUNK_UNIT; align / 2 < end - start; align *= 2) {
		taddr block = (start + CHUNK_HEADER + align - 1) & ~(align - 1);

		for (int i = 0; i < PLACES; i++, block += align) {
			taddr chunk = block - CHUNK_HEADER;
			uint64_t size;

			if (chunk < start + CHUNK_MIN || chunk >= end ||
			    !is_header(g, start, chunk, end, &size))
				continue;
			*m = (struct heap_mapped){start, chunk, chunk - start + size};
			return true;
		}
	}
	return false;
}

static bool find_at(struct glibc *g, taddr start, taddr end, struct heap_mapped *m)
{
	uint64_t before, word, size;

	/* In both cases there was this header when it was mapped. */
	if (!still_word(&g->r, start, &before) || !still_word(&g->r, start + CHUNK_SIZE, &word) ||
	    before || (word & CHUNK_BITS) != CHUNK_MAPPED || word < STILL_PAGE ||
	    (word - CHUNK_MAPPED) % STILL_PAGE)
		return false;
	if (find_aligned(g, start, end, m))
		return true;
	if (!is_header(g, start, start, end, &size))
		return false;
	*m = (struct heap_mapped){start, start, size};
	return true;
}

/* The next page from @at on that is in the still and in no piece; @end: none. */
static taddr next_page(struct glibc *g, taddr at, taddr end)
{
	while (at < end) {
		const struct heap_piece *p = heap_blocks_piece(&g->w->blocks, at);

		if (!p && still_has(&g->r, at, STILL_PAGE))
			return at;
		if (p) {
			at = (p->end + STILL_PAGE - 1) / STILL_PAGE * STILL_PAGE;
			continue;
		}
		at = still_behind_hole(g->s, at, STILL_PAGE);
	}
	return end;
}

/* Check that a block, by its header, does not overlap memory of an arena. */
static void check_apart(struct glibc *g, const struct heap_mapped *m)
{
	const struct heap_blocks *b = &g->w->blocks;
	size_t i = SEARCH_FIRST(b->n_pieces, k, b->pieces[k].end > m->start);

	if (i < b->n_pieces && b->pieces[i].start - m->start < m->size)
		heap_check_fail(
			g->w, CHECK_CHUNKS, "an arena and the mapped block at 0x%llx have 0x%llx",
			(unsigned long long)m->start, (unsigned long long)b->pieces[i].start);
}

/* Add the blocks that begin in the area, and end before @gap. *@behind: the end of the last block
 * before the area, and then that of its own last one. */
static int walk_area(struct glibc *g, const struct still_area *a, taddr gap, taddr *behind)
{
	taddr from = *behind > a->start ? *behind : a->start;
	int err = 0;

	for (taddr at = next_page(g, from, a->end); !err && at < a->end;
	     at = next_page(g, at, a->end)) {
		struct heap_mapped m;

		if (!find_at(g, at, gap, &m)) {
			at += STILL_PAGE;
			continue;
		}
		check_apart(g, &m);
		err = heap_blocks_add_mapped(&g->w->blocks, &m);
		at += m.size;
		*behind = at;
		g->w->mapped.n++;
		g->w->mapped.bytes += heap_mapped_usable(&g->w->blocks, &m);
		g->w->mapped_overhead += m.chunk - m.start + MAPPED_OVERHEAD;
	}
	return err;
}

static void check(struct glibc *g)
{
	uint64_t n = g->w->mapped.n, bytes = g->w->mapped.bytes + g->w->mapped_overhead;

	if (!g->params.found)
		heap_check_skip(g->w, CHECK_MAPPED, "the allocator's own count has not been found");
	else if (n != g->params.n_mapped || bytes != g->params.mapped_bytes)
		heap_check_fail(
			g->w, CHECK_MAPPED,
			"%llu with %llu bytes have been found, the allocator counts %u with "
			"%llu",
			(unsigned long long)n, (unsigned long long)bytes, g->params.n_mapped,
			(unsigned long long)g->params.mapped_bytes);
}

/* The end of the adjacent areas from area @i on. */
static taddr find_gap(const struct still *s, size_t i)
{
	while (i + 1 < s->n_areas && s->areas[i + 1].start == s->areas[i].end)
		i++;
	return s->areas[i].end;
}

int glibc_mapped_walk(struct glibc *g)
{
	taddr gap = 0, behind = 0;
	int err = 0;

	for (size_t i = 0; !err && i < g->s->n_areas; i++) {
		const struct still_area *a = &g->s->areas[i];

		gap = a->start < gap ? gap : find_gap(g->s, i);
		/* The kernel may have merged them with the mapping behind a library's bss. */
		if (a->kind == STILL_ANON && a->writable)
			err = walk_area(g, a, gap, &behind);
	}
	check(g);
	return err;
}
