/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of arenas: that of the main one is in [heap], that of others in heaps of their own. */
#include "heapwalk/glibc_internal.h"

#include <errno.h>

enum {
	/* struct heap_info */
	INFO_ARENA = 0,
	INFO_PREV = 8,
	INFO_SIZE = 16,
	INFO_SIZEOF_MIN = 0x20,
	INFO_SIZEOF_MAX = 0x40,
	HEAPS_MAX = 1 << 16,	 /* of an arena: 4 TiB */
	ALL_HEAPS_MAX = 1 << 22, /* of all arenas, for chains that were made not to end */
};

/* About a second, for chains that were made to fail late. */
#define STEPS_MAX (UINT64_C(1) << 28)

static taddr round_up(taddr at, taddr to)
{
	return (at + to - 1) / to * to;
}

static uint64_t in_arena(struct glibc *g, taddr arena, int field)
{
	return still_word_or_0(&g->r, glibc_bins(g, arena) + (taddr)(int64_t)field);
}

/* Check that the pieces of an arena are as large as it says. */
static void check_system(struct glibc *g, size_t arena, uint64_t bytes)
{
	struct heap_arena *a = &g->w->arenas[arena];

	if (bytes != a->system)
		heap_check_fail(g->w, CHECK_SYSTEM,
				"arena %zu has %llu bytes by its chunks and %llu by its own count",
				arena, (unsigned long long)bytes, (unsigned long long)a->system);
}

/* ---- the main arena ---- */

/* All of [heap], which may be several areas. False: there is none. */
static bool find_brk(const struct still *s, taddr *start, taddr *end)
{
	bool any = false;

	for (size_t i = 0; i < s->n_areas; i++) {
		if (s->areas[i].kind != STILL_HEAP)
			continue;
		*start = any ? *start : s->areas[i].start;
		*end = s->areas[i].end;
		any = true;
	}
	return any;
}

/* Does a chain of chunks lead from @at to @to? *@steps: how many more may be examined. */
static bool leads_to(struct glibc *g, taddr at, taddr to, uint64_t *steps)
{
	while (at < to && *steps) {
		uint64_t word = still_word_or_0(&g->r, at + CHUNK_SIZE);

		if (!glibc_is_size(word, CHUNK_MAPPED | CHUNK_NON_MAIN, to - at))
			return false;
		at += word & ~(uint64_t)CHUNK_BITS;
		--*steps;
	}
	return at == to;
}

/* If brk(2) failed, or other memory was in the way, malloc has mapped memory. Find where the piece
 * that ends with @top begins; 0: nowhere. Searched backwards, page by page of those that
 * are there: a chain that reaches a start already found leads to the top, too. */
static taddr find_elsewhere(struct glibc *g, taddr top)
{
	const struct still_area *a = still_area_at(g->s, top);
	uint64_t steps = STEPS_MAX;
	taddr found = top;

	/* A program may have written anything into its arena. */
	if (!a)
		return 0;
	for (taddr at = still_page_up_to(g->s, top); steps && at >= a->start;
	     at = still_page_up_to(g->s, at - STILL_PAGE)) {
		steps--;
		if (leads_to(g, at, found, &steps) || leads_to(g, at, top, &steps))
			found = at;
	}
	return found == top && top % STILL_PAGE ? 0 : found;
}

/* Walk a piece of the main arena, which ends at @end at the latest. Its size is added to
 * *@bytes. */
static int walk_piece(struct glibc *g, taddr start, taddr end, taddr top, uint64_t *bytes)
{
	struct heap_blocks *b = &g->w->blocks;
	taddr stopped;
	int err = heap_blocks_begin(b, start, end, 0);

	if (!err)
		err = glibc_chunks_walk(g, start, end, top, &stopped);
	if (err)
		return err;
	b->pieces[b->n_pieces - 1].end = stopped < end ? stopped : end;
	*bytes += b->pieces[b->n_pieces - 1].end - start;
	return 0;
}

static int walk_elsewhere(struct glibc *g, taddr top, uint64_t *bytes)
{
	const struct still_area *a = still_area_at(g->s, top);
	taddr start = find_elsewhere(g, top);

	if (start)
		return walk_piece(g, start, a->end, top, bytes);
	heap_check_fail(g->w, CHECK_CHUNKS, "nothing leads to the main arena's top at 0x%llx",
			(unsigned long long)top);
	return 0;
}

/* The end of a chain of chunks from @at, if that is at a page boundary and behind two fences, as in
 * a piece that the arena has left; 0: it is not. */
static taddr end_of_left(struct glibc *g, taddr at, taddr end, taddr top, uint64_t *steps)
{
	/* The piece with the top may have such a one right behind it. */
	for (; at < end && at != top && *steps; --*steps) {
		uint64_t word = still_word_or_0(&g->r, at + CHUNK_SIZE);
		uint64_t size = word & ~(uint64_t)CHUNK_BITS;

		if (size == FENCE && end - at >= 2 * FENCE && (at + 2 * FENCE) % STILL_PAGE == 0 &&
		    still_word_or_0(&g->r, at + FENCE + CHUNK_SIZE) == (FENCE | CHUNK_PREV_IN_USE))
			return at + 2 * FENCE;
		if (!glibc_is_size(word, CHUNK_MAPPED | CHUNK_NON_MAIN, end - at))
			return 0;
		at += size;
	}
	return 0;
}

/* Walk mapped memory in which the main arena had its top before: nothing points there, and only its
 * total size is known. */
static int walk_left(struct glibc *g, taddr top, uint64_t *bytes)
{
	uint64_t steps = STEPS_MAX;
	int err = 0;

	for (size_t i = 0; i < g->s->n_areas; i++) {
		const struct still_area *a = &g->s->areas[i];

		if (a->kind != STILL_ANON || !a->writable)
			continue;
		for (taddr at = a->start;
		     !err && at < a->end && steps && *bytes < g->w->arenas[0].system;) {
			taddr end = end_of_left(g, at, a->end, top, &steps);

			if (end)
				err = walk_piece(g, at, end, 0, bytes);
			at = end ? end : still_behind_hole(g->s, at, STILL_PAGE);
			steps -= steps ? 1 : 0;
		}
	}
	return err;
}

static int walk_main(struct glibc *g)
{
	taddr arena = g->arenas.v[0], top = in_arena(g, arena, STATE_TOP), start, end;
	bool brk = find_brk(g->s, &start, &end);
	uint64_t bytes = 0;
	int err = 0;

	if (top == glibc_bins(g, arena) - CHUNK_UNIT) /* the arena has no memory yet */
		return 0;
	if (brk && g->params.sbrk_base > start && g->params.sbrk_base < end)
		start = g->params.sbrk_base;
	bool here = brk && top >= start && top < end;
	/* If malloc has never used brk(2), [heap] is from the program's own calls of sbrk(2). */
	if (brk && (here || g->params.sbrk_base))
		err = walk_piece(g, round_up(start, CHUNK_UNIT), end, top, &bytes);
	if (!err && !here)
		err = walk_elsewhere(g, top, &bytes);
	/* The top may have come back to [heap] since. */
	if (!err)
		err = walk_left(g, top, &bytes);
	if (!err)
		check_system(g, 0, bytes);
	return err;
}

/* ---- the others ---- */

struct heap {
	taddr start, prev;
	uint64_t size;
};

/* The heap that contains @at, if heaps are aligned to @align. False: it is not one of this
 * arena. */
static bool heap_of(struct glibc *g, taddr at, taddr align, taddr arena, struct heap *h)
{
	taddr owner;

	h->start = at & ~(align - 1);
	return still_word(&g->r, h->start + INFO_ARENA, &owner) && owner == arena &&
	       still_word(&g->r, h->start + INFO_PREV, &h->prev) &&
	       still_word(&g->r, h->start + INFO_SIZE, &h->size) && h->size % CHUNK_UNIT == 0 &&
	       h->size >= CHUNK_MIN && h->size <= align && h->prev % align == 0;
}

/* Do heaps lead from the newest one, with the top, to the first, which contains the arena? */
static bool leads_to_arena(struct glibc *g, size_t arena, taddr align)
{
	taddr at = g->arenas.v[arena], next = in_arena(g, at, STATE_TOP);

	for (int i = 0; next && i < HEAPS_MAX && g->heaps; i++, g->heaps--) {
		struct heap h;

		if (!heap_of(g, next, align, at, &h) || next - h.start >= h.size)
			return false;
		if (at - h.start < align)
			return true;
		next = h.prev;
	}
	return false;
}

/* Alignments of heaps: 64 MiB, or four times the size of huge pages if it was told to use them. */
static const taddr aligns[] = {UINT64_C(64) << 20, UINT64_C(8) << 20, UINT64_C(4) << 30};

#define N_ALIGNS (sizeof aligns / sizeof *aligns)

/* Is the arena right behind the header of its first heap, if heaps are aligned to @align? */
static bool is_behind_info(taddr arena, taddr align)
{
	uint64_t info = arena & (align - 1);

	return info >= INFO_SIZEOF_MIN && info <= INFO_SIZEOF_MAX;
}

/* 0: no alignment leads from the top to the arena. */
static taddr alignment_of(struct glibc *g, size_t arena)
{
	for (size_t i = 0; i < N_ALIGNS; i++)
		if (is_behind_info(g->arenas.v[arena], aligns[i]) &&
		    leads_to_arena(g, arena, aligns[i]))
			return aligns[i];
	return 0;
}

bool glibc_has_heap(struct still_reader *r, taddr arena)
{
	uint64_t owner;

	for (size_t i = 0; i < N_ALIGNS; i++)
		if (is_behind_info(arena, aligns[i]) &&
		    still_word(r, (arena & ~(aligns[i] - 1)) + INFO_ARENA, &owner) &&
		    owner == arena)
			return true;
	return false;
}

static int walk_heap(struct glibc *g, size_t arena, const struct heap *h, unsigned info)
{
	taddr at = g->arenas.v[arena], top = in_arena(g, at, STATE_TOP), stopped;
	bool first = at - h->start == info;
	taddr start = first ? round_up(glibc_bins(g, at) + STATE_END, CHUNK_UNIT) : h->start + info;
	int err = heap_blocks_begin(&g->w->blocks, h->start, h->start + h->size, (unsigned)arena);

	return err ? err : glibc_chunks_walk(g, start, h->start + h->size, top, &stopped);
}

static int walk_other(struct glibc *g, size_t arena)
{
	taddr at = g->arenas.v[arena], next = in_arena(g, at, STATE_TOP);
	taddr align = alignment_of(g, arena);
	uint64_t bytes = 0;
	int err = 0;

	while (!err && align) {
		struct heap h;

		if (!heap_of(g, next, align, at, &h))
			break;
		err = walk_heap(g, arena, &h, (unsigned)(at & (align - 1)));
		bytes += h.size;
		next = h.prev;
		if (at - h.start < align)
			break;
	}
	if (!err)
		check_system(g, arena, bytes);
	return err;
}

static void check_overlaps(struct glibc *g)
{
	const struct heap_blocks *b = &g->w->blocks;

	for (size_t i = 1; i < b->n_pieces; i++)
		if (b->pieces[i].start < b->pieces[i - 1].end)
			heap_check_fail(g->w, CHECK_CHUNKS, "two arenas have 0x%llx",
					(unsigned long long)b->pieces[i].start);
}

int glibc_heaps_walk(struct glibc *g)
{
	int err = walk_main(g);

	g->heaps = ALL_HEAPS_MAX;
	for (size_t i = 1; !err && i < g->arenas.n; i++)
		err = walk_other(g, i);
	if (!g->heaps)
		heap_check_fail(g->w, CHECK_CHUNKS,
				"arenas have so many heaps that not all were "
				"looked at");
	heap_blocks_sort(&g->w->blocks);
	check_overlaps(g);
	return err;
}
