/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/room.h"

#define PAGE UINT64_C(4096)
/* The lowest address that can be mapped (mmap_min_addr, its usual value), and the end of user
 * addresses (47 bits, less the last page). */
#define LOWEST UINT64_C(0x10000)
#define HIGHEST (UINT64_C(1) << 47)
/* Room that the program break, and stacks at least, may grow into. */
#define HEAP_ROOM (UINT64_C(1) << 30)
#define STACK_ROOM (UINT64_C(64) << 20)
/* Of 128 TiB. Sanitizers have their shadows and heaps farther down. */
#define FAR (UINT64_C(1) << 40)

static taddr add(taddr a, uint64_t more)
{
	return a > UINT64_MAX - more ? UINT64_MAX : a + more;
}

struct hole {
	taddr lo, hi;
	bool under_stack;
};

/* The hole below the @i-th range, less what its neighbours may want to grow into. */
static struct hole hole_below(const struct room_range *ranges, size_t n, size_t i,
			      uint64_t stack_limit)
{
	const struct room_range *below = i ? &ranges[i - 1] : NULL;
	const struct room_range *above = i < n ? &ranges[i] : NULL;
	uint64_t stack = stack_limit > STACK_ROOM ? stack_limit : STACK_ROOM;
	struct hole h = { below ? below->end : LOWEST, above ? above->start : HIGHEST,
			  above && above->stack };

	if (h.hi > HIGHEST)
		h.hi = HIGHEST;
	if (below && below->heap)
		h.lo = add(h.lo, HEAP_ROOM);
	if (h.under_stack)
		h.hi = h.hi > stack ? h.hi - stack : 0;
	h.lo = (h.lo + PAGE - 1) & ~(PAGE - 1);
	h.hi &= ~(PAGE - 1);
	return h;
}

static uint64_t distance(const struct room_wish *w, taddr at)
{
	if (at >= w->near_end)
		return at + w->size - w->near_start;
	return w->near_end - at;
}

static uint64_t strays(const struct room_wish *w, taddr at)
{
	uint64_t d = distance(w, at);

	return d > w->away ? d - w->away : w->away - d;
}

/* @wished, if the hole has room there; otherwise the hole's end nearest the code. */
static taddr within(taddr wished, taddr lowest, taddr highest, taddr near)
{
	wished &= ~(PAGE - 1);
	return wished > lowest && wished < highest ? wished : near;
}

/* 0: nothing fits. */
static taddr place_in(const struct room_wish *w, const struct hole *h)
{
	taddr lowest = h->lo + PAGE, highest;

	if (h->hi <= h->lo || h->hi - h->lo < w->size + 2 * PAGE)
		return 0;
	highest = h->hi - PAGE - w->size;
	if (h->hi <= w->near_start)
		return within(w->near_start > w->away ? w->near_start - w->away : 0, lowest,
			      highest, highest);
	if (h->under_stack)
		return lowest;
	return within(add(w->near_end, w->away), lowest, highest, lowest);
}

/* Ranked by how unlikely programs are to map something there. */
enum rank {
	ABOVE,	     /* the break begins where a program's data ends */
	BELOW,
	UNDER_STACK, /* in the gap that the kernel keeps free for it, see mmap_base() */
};

struct place {
	taddr at; /* 0: none */
	enum rank rank;
};

static struct place place_found(const struct room_wish *w, const struct hole *h)
{
	struct place p = { place_in(w, h), ABOVE };

	if (p.at && distance(w, p.at) > w->reach)
		p.at = 0;
	if (h->under_stack)
		p.rank = UNDER_STACK;
	else if (p.at < w->near_start)
		p.rank = BELOW;
	return p;
}

static bool is_better(const struct room_wish *w, const struct place *p, const struct place *than)
{
	if (!p->at || !than->at)
		return p->at;
	if (p->rank != than->rank)
		return p->rank > than->rank;
	return strays(w, p->at) < strays(w, than->at);
}

static uint64_t whole_pages(uint64_t size)
{
	return (size + PAGE - 1) & ~(PAGE - 1);
}

taddr room_find(const struct room_range *ranges, size_t n, const struct room_wish *wish)
{
	struct room_wish w = *wish;
	struct place best = { 0 };

	w.size = whole_pages(w.size);
	for (size_t i = 0; i <= n; i++) {
		struct hole h = hole_below(ranges, n, i, w.stack_limit);
		struct place p = place_found(&w, &h);

		if (is_better(&w, &p, &best))
			best = p;
	}
	return best.at;
}

taddr room_far(const struct room_range *ranges, size_t n, uint64_t size, uint64_t stack_limit)
{
	size = whole_pages(size);
	for (size_t i = n + 1; i--;) {
		struct hole h = hole_below(ranges, n, i, stack_limit);

		if (h.hi > h.lo && (h.hi - h.lo) / 2 >= FAR && FAR > size)
			return h.hi - FAR - size;
	}
	return 0;
}
