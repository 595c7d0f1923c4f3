/* SPDX-License-Identifier: BSD-2-Clause */
/* Free blocks in thread caches. A cache is near its thread's thread pointer: a row for each size
 * class, whose stacks of free blocks are adjacent in memory. */
#include "heapwalk/jemalloc_internal.h"

#include "heapwalk/stacks.h"

enum {
	ROW = 24,
	ROW_BITS = 16, /* after the head and a count of requests */
	STEPS_MORE = 1 << 20, /* many threads may have ended, and each has left rows */
};

/* A stack of free blocks, from its head to empty; it is full if the head is at full. */
struct cache_row {
	taddr head, full, empty;
};

static bool read_row(struct still_reader *r, taddr at, struct cache_row *row)
{
	uint64_t bits;

	if (!still_word(r, at, &row->head) || !row->head || row->head % 8 ||
	    !still_word(r, at + ROW_BITS, &bits))
		return false;
	/* Only the lower bits of both ends are stored. */
	const uint16_t full = bits >> 16 & 0xffff, empty = bits >> 32 & 0xffff;
	const uint16_t above = (uint16_t)((uint16_t)row->head - full);
	const uint16_t below = (uint16_t)(empty - (uint16_t)row->head);
	const uint16_t room = (uint16_t)(empty - full);

	row->full = row->head - above;
	row->empty = row->head + below;
	return room && room % 8 == 0 && above % 8 == 0 && above + below == room;
}

/* How many adjacent rows there are at @at, each stack beginning where the one before ends. */
static unsigned rows_at(struct still_reader *r, taddr at)
{
	struct cache_row before, row;
	unsigned n = 0;

	while (n < CACHED_CLASSES_MAX && read_row(r, at + n * ROW, &row) &&
	       (!n || row.full == before.empty)) {
		before = row;
		n++;
	}
	return n;
}

/* The number of the live block at @block of this size class; HEAP_NO_CHUNK: there is none. */
static size_t live_block(const struct jemalloc *j, taddr block, unsigned size_class)
{
	const struct heap_blocks *b = &j->w->blocks;
	size_t i = block % HEAP_UNIT ? HEAP_NO_CHUNK : heap_blocks_find(b, block);

	return i != HEAP_NO_CHUNK && b->states[i] == HEAP_LIVE &&
			       heap_chunk_size(&b->chunks[i]) == jemalloc_class_size(size_class)
		       ? i
		       : HEAP_NO_CHUNK;
}

static void take_row(struct jemalloc *j, const struct cache_row *row, unsigned size_class)
{
	struct heap_blocks *b = &j->w->blocks;

	for (taddr at = row->head; at < row->empty; at += 8) {
		taddr block = still_word_or_0(&j->r, at);
		size_t i = live_block(j, block, size_class);

		if (i == HEAP_NO_CHUNK)
			heap_check_fail(j->w, CHECK_LISTS,
					"0x%llx is in a thread's cache and is no block of %llu "
					"bytes",
					(unsigned long long)block,
					(unsigned long long)jemalloc_class_size(size_class));
		else
			b->states[i] = HEAP_CACHED;
	}
}

/*
 * The stacks are in a block that jemalloc has allocated from itself. Beyond their heads are still
 * the addresses of blocks that were handed out last, which would seem reachable if that block
 * counted as the program's.
 */
static void take_stacks(struct jemalloc *j, taddr start, taddr end)
{
	struct heap_blocks *b = &j->w->blocks;
	size_t i = heap_blocks_around(b, start);

	if (i != HEAP_NO_CHUNK && i == heap_blocks_around(b, end - 1) &&
	    b->states[i] == HEAP_LIVE)
		b->states[i] = HEAP_OWN;
}

static void take_cache(struct jemalloc *j, taddr at, unsigned n)
{
	struct cache_row first = {0}, row = {0};

	for (unsigned i = 0; i < n; i++) {
		if (!read_row(&j->r, at + i * ROW, &row))
			continue;
		first = i ? first : row;
		take_row(j, &row, i);
	}
	if (first.full < row.empty)
		take_stacks(j, first.full, row.empty);
	j->w->caches++;
}

/* The distance of a cache from its thread pointer, searched from @from down to @to; 0: none. */
static uint64_t find_cache(struct jemalloc *j, taddr tp, uint64_t from, uint64_t to)
{
	tp &= ~(taddr)7;
	for (uint64_t off = from; off > to; off -= 8)
		if (tp > off && rows_at(&j->r, tp - off) >= N_BINS)
			return off;
	return 0;
}

static void take_cache_at(struct jemalloc *j, taddr tp, uint64_t offset)
{
	const taddr at = (tp & ~(taddr)7) - offset;
	const unsigned n = offset && tp > offset ? rows_at(&j->r, at) : 0;

	if (n >= N_BINS)
		take_cache(j, at, n);
}

/* ---- caches of threads that do not exist any more ---- */

struct orphans {
	struct jemalloc *j;
	uint64_t offset;   /* of the caches found so far; 0: none has been found */
	unsigned searches; /* searches that may still be made for it */
	uint64_t steps;	   /* rows and blocks that may still be examined */
};

/* Are all blocks in it, as far as can be seen, free? The cache of a thread that has ended is empty,
 * and the memory of its stacks has been reused. */
static bool has_free_blocks(struct orphans *o, taddr at, unsigned n)
{
	struct cache_row row;
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		if (!read_row(&o->j->r, at + i * ROW, &row))
			return false;
		for (taddr p = row.head; p < row.empty; p += 8) {
			if (!o->steps)
				return false;
			o->steps--;
			if (live_block(o->j, still_word_or_0(&o->j->r, p), i) == HEAP_NO_CHUNK)
				return false;
			any = true;
		}
	}
	return any;
}

/* The distance at which to look for a cache there. */
static uint64_t offset_of_orphan(struct orphans *o, taddr tp)
{
	if (!o->offset && o->searches) {
		o->searches--;
		return find_cache(o->j, tp, NEAR, 0);
	}
	return o->offset;
}

/* A child of fork(2) has the caches of its parent's other threads, whose blocks will never be
 * handed out again. Caches that were already walked have no live blocks left. */
static int try_orphan(void *ctx, taddr tp, uint64_t word)
{
	struct orphans *o = ctx;

	if (word != tp || !stack_has_thread(&o->j->r, tp))
		return 0;
	jemalloc_lookups_take(o->j, tp);
	uint64_t offset = offset_of_orphan(o, tp);
	unsigned n = offset && tp > offset ? rows_at(&o->j->r, tp - offset) : 0;

	o->steps -= n < o->steps ? n : o->steps;
	if (n >= N_BINS && has_free_blocks(o, tp - offset, n)) {
		take_cache(o->j, tp - offset, n);
		o->offset = offset;
	}
	return o->steps == 0;
}

static void take_orphans(struct jemalloc *j, uint64_t offset)
{
	struct orphans o = {.j = j,
			    .offset = offset,
			    .searches = FAR_TASKS,
			    .steps = 4 * (uint64_t)j->w->blocks.n_chunks + STEPS_MORE};
	int given_up = 0;

	for (size_t i = 0; !given_up && i < j->s->n_areas; i++) {
		const struct still_area *a = &j->s->areas[i];

		if (a->kind == STILL_ANON && a->writable)
			given_up = jemalloc_each_word(j->s, a->start, a->end, try_orphan, &o);
	}
	if (given_up)
		heap_check_fail(j->w, CHECK_LISTS,
				"so much looks like a thread's cache that it was given up");
}

/* ---- all of them ---- */

void jemalloc_caches_walk(struct jemalloc *j)
{
	const struct still_task *tasks = j->s->tasks;
	uint64_t near = 0, offset = 0;

	for (size_t i = 0; i < j->s->n_tasks; i++) {
		uint64_t found = find_cache(j, tasks[i].tp, NEAR, 0);

		take_cache_at(j, tasks[i].tp, found);
		near = found ? found : near;
	}
	for (size_t i = 0; !j->w->caches && !offset && i < j->s->n_tasks && i < FAR_TASKS; i++)
		offset = find_cache(j, tasks[i].tp, FAR, NEAR);
	for (size_t i = 0; offset && i < j->s->n_tasks; i++)
		take_cache_at(j, tasks[i].tp, offset);
	take_orphans(j, near ? near : offset);
	/* Caches may be switched off. */
	if (!j->w->caches)
		heap_check_skip(j->w, CHECK_CACHES,
				"none has been found: what is in them is among the blocks");
}
