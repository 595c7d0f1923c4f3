/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/room.h"

#define PAGE UINT64_C(4096)
/* What the kernel hands out to nobody (mmap_min_addr, its usual value), and where user addresses
 * end (47 bits, less the last page). */
#define LOWEST UINT64_C(0x10000)
#define HIGHEST (UINT64_C(1) << 47)
/* Where the break may grow to, and stacks at least. */
#define HEAP_ROOM (UINT64_C(1) << 30)
#define STACK_ROOM (UINT64_C(64) << 20)

static taddr add(taddr a, uint64_t more)
{
	return a > UINT64_MAX - more ? UINT64_MAX : a + more;
}

/* The hole between two ranges, less what they may want to grow into. */
static void shrink(taddr *lo, taddr *hi, const struct room_range *below,
		   const struct room_range *above, uint64_t stack_limit)
{
	uint64_t stack = stack_limit > STACK_ROOM ? stack_limit : STACK_ROOM;

	if (below && below->heap)
		*lo = add(*lo, HEAP_ROOM);
	if (above && above->stack)
		*hi = *hi > stack ? *hi - stack : 0;
}

static uint64_t distance(const struct room_wish *w, taddr at)
{
	if (at >= w->near_end)
		return at + w->size - w->near_start;
	return w->near_end - at;
}

/* The place in a hole that is nearest; 0: nothing fits. */
static taddr place_in(const struct room_wish *w, taddr lo, taddr hi)
{
	uint64_t need = w->size + 2 * PAGE;

	lo = (lo + PAGE - 1) & ~(PAGE - 1);
	hi &= ~(PAGE - 1);
	if (hi <= lo || hi - lo < need)
		return 0;
	return hi <= w->near_start ? hi - PAGE - w->size : lo + PAGE;
}

taddr room_find(const struct room_range *ranges, size_t n, const struct room_wish *wish)
{
	struct room_wish w = *wish;
	taddr best = 0;

	w.size = (w.size + PAGE - 1) & ~(PAGE - 1);
	for (size_t i = 0; i <= n; i++) {
		const struct room_range *below = i ? &ranges[i - 1] : NULL;
		const struct room_range *above = i < n ? &ranges[i] : NULL;
		taddr lo = below ? below->end : LOWEST, hi = above ? above->start : HIGHEST;

		if (hi > HIGHEST)
			hi = HIGHEST;
		shrink(&lo, &hi, below, above, w.stack_limit);
		taddr at = place_in(&w, lo, hi);
		if (at && distance(&w, at) <= w.reach &&
		    (!best || distance(&w, at) < distance(&w, best)))
			best = at;
	}
	return best;
}
