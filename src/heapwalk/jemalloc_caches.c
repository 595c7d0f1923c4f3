/* SPDX-License-Identifier: BSD-2-Clause */
/* What is free in the caches of threads. A cache is near its thread's thread pointer: a row for
 * each size class, whose stacks of free blocks follow each other in memory. */
#include "heapwalk/jemalloc_internal.h"

enum {
	ROW = 24,
	ROW_BITS = 16, /* after the head and a count of requests */
	/* A cache is in static thread-local storage, in all threads as far in front of the thread
	 * pointer: behind that of jemalloc itself, and sometimes of the program. */
	NEAR = 128 << 10,
	FAR = 1 << 20,
	FAR_TASKS = 64, /* that are looked at so far */
};

/* A stack of free blocks: from its head to its end, which is nearer if it has more of them. */
struct cache_row {
	taddr head, full, empty;
};

static bool read_row(struct still_reader *r, taddr at, struct cache_row *row)
{
	uint64_t bits;

	if (!still_word(r, at, &row->head) || !row->head || row->head % 8 ||
	    !still_word(r, at + ROW_BITS, &bits))
		return false;
	/* The end's and the beginning's lower bits are there. */
	const uint16_t full = bits >> 16 & 0xffff, empty = bits >> 32 & 0xffff;
	const uint16_t above = (uint16_t)((uint16_t)row->head - full);
	const uint16_t below = (uint16_t)(empty - (uint16_t)row->head);
	const uint16_t room = (uint16_t)(empty - full);

	row->full = row->head - above;
	row->empty = row->head + below;
	return room && room % 8 == 0 && above % 8 == 0 && above + below == room;
}

/* How many rows follow each other there, each stack beginning where the one before ends. */
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

static void take_row(struct jemalloc *j, const struct cache_row *row, unsigned size_class)
{
	struct heap_blocks *b = &j->w->blocks;

	for (taddr at = row->head; at < row->empty; at += 8) {
		taddr block = still_word_or_0(&j->r, at);
		size_t i = block % HEAP_UNIT ? HEAP_NO_CHUNK : heap_blocks_find(b, block);

		if (i == HEAP_NO_CHUNK || b->states[i] != HEAP_LIVE ||
		    heap_chunk_size(&b->chunks[i]) != jemalloc_class_size(size_class))
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
 * The stacks are in a block that jemalloc has requested of itself. Beyond their heads are still the
 * addresses of what was handed out last, which would seem to be reachable if the program had that
 * block.
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

/* How far in front of its thread's pointer a cache is, from @from down to @to; 0: none is. */
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

void jemalloc_caches_walk(struct jemalloc *j)
{
	const struct still_task *tasks = j->s->tasks;
	uint64_t offset = 0;

	for (size_t i = 0; i < j->s->n_tasks; i++)
		take_cache_at(j, tasks[i].tp, find_cache(j, tasks[i].tp, NEAR, 0));
	for (size_t i = 0; !j->w->caches && !offset && i < j->s->n_tasks && i < FAR_TASKS; i++)
		offset = find_cache(j, tasks[i].tp, FAR, NEAR);
	for (size_t i = 0; offset && i < j->s->n_tasks; i++)
		take_cache_at(j, tasks[i].tp, offset);
	/* A program may have been told to have none. */
	if (!j->w->caches)
		heap_check_skip(j->w, CHECK_CACHES,
				"none has been found: what is in them is among the blocks");
}
