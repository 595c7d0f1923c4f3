/* SPDX-License-Identifier: BSD-2-Clause */
#include "heapwalk/jemalloc_internal.h"

#include <errno.h>
#include <stdlib.h>

/* ---- sizes ---- */

/* 8, then steps of 16 up to 64, then four steps to each power of two. */
uint64_t jemalloc_class_size(unsigned index)
{
	enum { STEP = 16, EVEN = 4, GROUP = 4 };

	if (index >= N_CLASSES)
		return 0;
	if (index <= EVEN)
		return index ? (uint64_t)index * STEP : 8;
	const unsigned group = (index - EVEN - 1) / GROUP, step = (index - EVEN - 1) % GROUP + 1;
	return ((uint64_t)STEP * GROUP << group) + ((uint64_t)STEP * step << group);
}

/* ---- words ---- */

int jemalloc_each_word(const struct still *s, taddr start, taddr end,
		       int (*fn)(void *ctx, taddr at, uint64_t word), void *ctx)
{
	struct still_run part;
	int err = 0;

	for (size_t i = still_run_from(s, start); !err && still_part(s, i, start, end, &part); i++)
		/* The range may begin anywhere, so words may be unaligned here. */
		for (uint64_t word, at = 0; !err && at + sizeof word <= part.size; at += 8) {
			memcpy(&word, part.bytes + at, sizeof word);
			err = word ? fn(ctx, part.start + at, word) : 0;
		}
	return err;
}

/* ---- extents ---- */

/* A leaf's word has the address of the extent's edata, and its state, which the edata repeats. */
bool jemalloc_extent(struct still_reader *r, uint64_t leaf_word, struct extent *e)
{
	const taddr edata = (leaf_word & ((UINT64_C(1) << 48) - 1)) & ~(taddr)(EDATA_ALIGN - 1);
	uint64_t bits, addr, size;

	if (!edata || !still_word(r, edata + EDATA_BITS, &bits) ||
	    !still_word(r, edata + EDATA_ADDR, &addr) || !still_word(r, edata + EDATA_SIZE, &size))
		return false;
	*e = (struct extent){
		.edata = edata,
		.base = addr & ~(taddr)(STILL_PAGE - 1),
		.size = size & ~(uint64_t)(STILL_PAGE - 1),
		.block = addr,
		.size_class = bits >> 20 & 0xff,
		.state = bits >> 17 & 7,
		.arena = bits & 0xfff,
		.n_free = bits >> 28 & 0x3ff,
		.slab = bits >> 12 & 1,
		.head = bits >> 44 & 1,
	};
	return e->size && e->base && addr < UINT64_C(1) << 47 && e->size < UINT64_C(1) << 47 &&
	       e->state == (leaf_word >> 2 & 7);
}

/* ---- all of it ---- */

static int walk(struct jemalloc *j)
{
	static const enum heap_check_kind made[] = {CHECK_CHUNKS, CHECK_BINS, CHECK_LISTS,
						    CHECK_MEMORY};

	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		j->w->checks[made[i]].done = true;
	heap_check_memory(j->w, j->s);
	int err = jemalloc_extents_walk(j);
	if (!err)
		err = jemalloc_bases_walk(j);
	if (err)
		return err;
	heap_blocks_sort(&j->w->blocks);
	jemalloc_lookups_walk(j);
	jemalloc_caches_walk(j);
	if (j->err)
		return j->err;
	heap_walk_sum_up(j->w);
	return 0;
}

int jemalloc_walk(const struct still *s, struct heap_walk *w)
{
	struct jemalloc j = {.s = s, .r = still_reader(s), .w = w};

	*w = (struct heap_walk){.allocator = HEAP_JEMALLOC};
	j.root = jemalloc_find_root(s);
	int err = j.root ? walk(&j) : -ENOENT;
	free(j.bases);
	if (err)
		heap_walk_release(w);
	return err;
}
