/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TEST_MADE_HEAP_H
#define MPROF_TEST_MADE_HEAP_H

/*
 * A heap of glibc's made by hand: a still of words at made-up addresses. Each piece of memory is
 * allocated separately, so that a sanitizer notices reads outside of it.
 */
#include "heapwalk/glibc.h"
#include "still/still.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	MADE_PIECES = 8,
	MADE_FIELDS = 4096,
	MADE_BEFORE = 0x70, /* an arena's bins begin there */
	MADE_BINS = 127,
};

struct made_piece {
	taddr start;
	uint64_t size;
	uint8_t *bytes;
};

struct made_heap {
	struct still still;
	struct made_piece pieces[MADE_PIECES];
	size_t n;
	taddr fields[MADE_FIELDS]; /* every word that was written */
	size_t n_fields;
	bool plain; /* links are not mangled */
};

/* What chunks there are to be, one after the other. */
enum made_kind { MADE_LIVE, MADE_FREE, MADE_FAST, MADE_CACHED, MADE_TOP, MADE_FENCE, MADE_GAP };

struct made_chunk {
	enum made_kind kind;
	uint64_t size;
	int list; /* bin, fastbin or list of the cache */
};

static uint8_t *made_at(struct made_heap *h, taddr at, size_t size)
{
	for (size_t i = 0; i < h->n; i++) {
		struct made_piece *p = &h->pieces[i];

		if (at >= p->start && at - p->start + size <= p->size)
			return p->bytes + (at - p->start);
	}
	assert(!"made_heap: no such memory");
	return NULL;
}

static uint64_t made_get(struct made_heap *h, taddr at)
{
	uint64_t v;

	memcpy(&v, made_at(h, at, sizeof v), sizeof v);
	return v;
}

static inline void made_put(struct made_heap *h, taddr at, uint64_t v)
{
	memcpy(made_at(h, at, sizeof v), &v, sizeof v);
	for (size_t i = 0; i < h->n_fields; i++)
		if (h->fields[i] == at)
			return;
	assert(h->n_fields < MADE_FIELDS);
	h->fields[h->n_fields++] = at;
}

/* Memory, in the order of addresses. */
static inline void made_memory(struct made_heap *h, taddr start, unsigned pages, const char *path)
{
	uint64_t size = (uint64_t)pages * STILL_PAGE;
	struct proc_map m = {.start = start,
			     .end = start + size,
			     .readable = true,
			     .writable = true,
			     .ino = path[0] == '/',
			     .path = path};

	assert(h->n < MADE_PIECES);
	h->pieces[h->n] = (struct made_piece){start, size, calloc(1, size)};
	assert(!still_add_map(&h->still, &m));
	assert(!still_add_run(&h->still, start, size, h->pieces[h->n].bytes));
	h->n++;
}

static inline void made_release(struct made_heap *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->pieces[i].bytes);
	still_release(&h->still);
	*h = (struct made_heap){0};
}

/* An arena at @at, with empty bins. */
static inline void made_arena(struct made_heap *h, taddr at, taddr next, taddr top, uint64_t system)
{
	taddr bins = at + MADE_BEFORE;

	for (int i = 0; i < MADE_BINS; i++) {
		made_put(h, bins + (taddr)i * 16, bins + (taddr)i * 16 - 16);
		made_put(h, bins + (taddr)i * 16 + 8, bins + (taddr)i * 16 - 16);
	}
	made_put(h, at, 0);
	made_put(h, bins - 16, top);
	made_put(h, bins + 2048, next);
	made_put(h, bins + 2072, system);
}

/* struct malloc_par's middle: n_mmaps is at @at. */
static inline void made_params(struct made_heap *h, taddr at, uint32_t mapped, uint64_t bytes,
			       taddr sbrk)
{
	made_put(h, at, (uint64_t)65536 << 32 | mapped);
	made_put(h, at + 8, mapped);
	made_put(h, at + 16, bytes);
	made_put(h, at + 24, bytes);
	made_put(h, at + 32, sbrk);
	made_put(h, at + 40, 64);
	made_put(h, at + 48, 1032);
	made_put(h, at + 56, 7);
}

static inline taddr made_link(const struct made_heap *h, taddr at, taddr to)
{
	return h->plain ? to : to ^ at >> 12;
}

static inline void made_bin(struct made_heap *h, taddr arena, int bin, taddr chunk)
{
	taddr pair = arena + MADE_BEFORE + (taddr)bin * 16, head = pair - 16;
	taddr first = made_get(h, pair);

	made_put(h, chunk + 16, first);
	made_put(h, chunk + 24, head);
	made_put(h, first + 24, chunk);
	made_put(h, pair, chunk);
}

static inline void made_fastbin(struct made_heap *h, taddr arena, int bin, taddr chunk)
{
	taddr at = arena + MADE_BEFORE - 96 + (taddr)bin * 8;

	made_put(h, chunk + 16, made_link(h, chunk + 16, made_get(h, at)));
	made_put(h, at, chunk);
}

/* A cache whose block is at @block, and which @word leads to. */
static inline void made_cache(struct made_heap *h, taddr word, taddr block)
{
	made_put(h, word, block);
	for (int i = 0; i < 64; i += 4)
		made_put(h, block + (taddr)i * 2, 0);
}

static inline void made_cached(struct made_heap *h, taddr cache, int list, taddr block)
{
	taddr head = cache + 128 + (taddr)list * 8, count = cache + (taddr)list * 2 / 8 * 8;

	made_put(h, block, made_link(h, block, made_get(h, head)));
	made_put(h, block + 8, 0x1122334455667788);
	made_put(h, head, block);
	made_put(h, count, made_get(h, count) + (UINT64_C(1) << list % 4 * 16));
}

/* Lay out chunks from @at. Returns where they end. */
static inline taddr made_chunks(struct made_heap *h, taddr arena, taddr cache, unsigned bits,
				taddr at, const struct made_chunk *v, size_t n)
{
	bool in_use = true;

	for (size_t i = 0; i < n; at += v[i++].size) {
		if (v[i].kind == MADE_GAP) {
			in_use = true;
			continue;
		}
		bool no_bits = v[i].kind == MADE_FREE || v[i].kind == MADE_FENCE;
		made_put(h, at + 8, v[i].size | in_use | (no_bits ? 0 : bits));
		in_use = v[i].kind != MADE_FREE;
		if (v[i].kind == MADE_FREE)
			made_bin(h, arena, v[i].list, at);
		if (v[i].kind == MADE_FAST)
			made_fastbin(h, arena, v[i].list, at);
		if (v[i].kind == MADE_CACHED)
			made_cached(h, cache, v[i].list, at + 16);
	}
	return at;
}

#endif
