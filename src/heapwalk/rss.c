/* SPDX-License-Identifier: BSD-2-Clause */
#include "heapwalk/rss.h"

#include "base/array.h"
#include "base/search.h"
#include "base/text.h"
#include "heapwalk/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SPARSE = STILL_PAGE / 10 };

struct division {
	struct rss *r;
	const struct rss_facts *f;
	uint64_t parts[N_RSS_KINDS]; /* of the mapping at hand */
	taddr page;		     /* whose live bytes are being counted */
	uint64_t page_live;
};

void rss_release(struct rss *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->rows[i].name);
	free(r->rows);
	*r = (struct rss){0};
}

/* ---- the allocator's areas ---- */

/* The resident bytes of the part of [@start, @end) that is in the mapping. */
static uint64_t part(struct division *d, const struct smap *m, taddr start, taddr end)
{
	start = start > m->map.start ? start : m->map.start;
	end = end < m->map.end ? end : m->map.end;
	return start < end ? resident_bytes(d->f->resident, start, end) : 0;
}

static void end_page(struct division *d)
{
	d->r->sparse_pages += d->page_live && d->page_live < SPARSE;
	d->page_live = 0;
}

/* Count the live bytes of a block in its pages, in the order of addresses. Pages in the middle of a
 * block are full. */
static void count_live(struct division *d, taddr start, taddr end)
{
	taddr last = (end - 1) / STILL_PAGE * STILL_PAGE;

	for (taddr at = start; at < end;) {
		taddr page = at / STILL_PAGE * STILL_PAGE, next = page + STILL_PAGE;

		if (page != d->page)
			end_page(d);
		d->page = page;
		d->page_live += (next < end ? next : end) - at;
		at = page == last ? end : last;
	}
}

static enum rss_kind kind_of_chunk(enum heap_state state)
{
	switch (state) {
	case HEAP_TOP:
		return RSS_TOP;
	case HEAP_OWN:
		return RSS_OWN;
	case HEAP_CACHED:
	case HEAP_FAST:
	case HEAP_FREE:
	case HEAP_BINNED:
	default:
		return RSS_FREE;
	}
}

/* Where a chunk really begins: glibc's with its own size, not with that of the one before. */
static taddr chunk_begin(const struct heap_blocks *b, const struct heap_piece *p,
			 const struct heap_chunk *c)
{
	return heap_block_at(b, p, c) - b->cut.overhead;
}

static void divide_chunk(struct division *d, const struct smap *m, const struct heap_piece *p,
			 size_t i)
{
	const struct heap_blocks *b = &d->f->walk->blocks;
	taddr at = chunk_begin(b, p, &b->chunks[i]), block = at + b->cut.overhead;
	taddr end = at + heap_chunk_size(&b->chunks[i]);

	end = end < p->end ? end : p->end;
	if (b->states[i] != HEAP_LIVE) {
		d->parts[kind_of_chunk(b->states[i])] += part(d, m, at, end);
		return;
	}
	d->parts[RSS_HEADERS] += part(d, m, at, block);
	d->parts[RSS_LIVE] += part(d, m, block, end);
	if (at >= m->map.start && at < m->map.end)
		count_live(d, block, end);
}

static void divide_piece(struct division *d, const struct smap *m, const struct heap_piece *p)
{
	const struct heap_blocks *b = &d->f->walk->blocks;
	const struct heap_chunk *c = b->chunks + p->first;
	uint64_t whole = part(d, m, p->start, p->end), before = 0, after = 0;

	for (int k = 0; k < N_RSS_KINDS; k++)
		before += d->parts[k];
	/* The headers of a heap and its arena are in front of the first chunk. */
	taddr first = p->n ? chunk_begin(b, p, c) : p->start;
	d->parts[RSS_OWN] += part(d, m, p->start, first);
	size_t i = SEARCH_FIRST(p->n, k,
				chunk_begin(b, p, &c[k]) + heap_chunk_size(&c[k]) >
					m->map.start);
	for (; i < p->n && heap_chunk_at(p, &c[i]) < m->map.end; i++)
		divide_chunk(d, m, p, p->first + i);
	for (int k = 0; k < N_RSS_KINDS; k++)
		after += d->parts[k];
	if (whole > after - before)
		d->parts[RSS_NOT_EXPLAINED] += whole - (after - before);
}

static void divide_mapped(struct division *d, const struct smap *m, const struct heap_mapped *b)
{
	taddr block = heap_mapped_at(&d->f->walk->blocks, b);

	d->parts[RSS_HEADERS] += part(d, m, b->start, block);
	d->parts[RSS_LIVE] += part(d, m, block, b->start + b->size);
}

static void divide_heap(struct division *d, const struct smap *m)
{
	const struct heap_blocks *b = &d->f->walk->blocks;
	size_t p = SEARCH_FIRST(b->n_pieces, i, b->pieces[i].end > m->map.start);
	size_t k =
		SEARCH_FIRST(b->n_mapped, i, b->mapped[i].start + b->mapped[i].size > m->map.start);

	for (; p < b->n_pieces && b->pieces[p].start < m->map.end; p++)
		divide_piece(d, m, &b->pieces[p]);
	for (; k < b->n_mapped && b->mapped[k].start < m->map.end; k++)
		divide_mapped(d, m, &b->mapped[k]);
}

/* ---- all other mappings ---- */

static bool is_file_of_disk(const char *path)
{
	static const char *const others[] = {"/memfd:", "/dev/shm/", "/dev/zero", "/SYSV"};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (text_begins(path, others[i]))
			return false;
	return path[0] == '/';
}

static enum rss_kind kind_of_rest(const struct division *d, const struct smap *m)
{
	const struct still_area *a = still_area_at(d->f->still, m->map.start);

	switch (a ? a->kind : STILL_ANON) {
	case STILL_FILE:
		return m->map.executable ? RSS_CODE : RSS_FILE_READ;
	case STILL_HEAP:
		return d->f->walk ? RSS_NOT_EXPLAINED : RSS_HEAP_WHOLE;
	case STILL_STACK:
		return RSS_BELOW_STACK;
	case STILL_SHARED:
		return is_file_of_disk(m->map.path) ? RSS_FILE_SHARED : RSS_SHARED;
	case STILL_KERNEL:
		return RSS_KERNEL;
	case STILL_ANON:
		break;
	}
	return a && still_is_bss(d->f->still, a) && a->start == m->map.start ? RSS_BSS : RSS_ANON;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Divide a stack from @start to @end. Returns what is left of @rest. */
static uint64_t divide_stack(struct division *d, const struct smap *m, taddr sp, taddr start,
			     taddr end, uint64_t rest)
{
	taddr from = sp - start > STACK_RED_ZONE ? sp - STACK_RED_ZONE : start;
	uint64_t used = least(part(d, m, from, end), rest);
	uint64_t below = least(part(d, m, start, from), rest - used);

	d->parts[RSS_STACK] += used;
	d->parts[RSS_BELOW_STACK] += below;
	return rest - used - below;
}

/* If the end of a stack is not known it is all that is left of its mapping. */
static uint64_t divide_stacks(struct division *d, const struct smap *m, uint64_t rest)
{
	const struct still *s = d->f->still;
	struct still_reader r = still_reader(s);
	taddr lowest = 0;

	for (size_t i = 0; i < s->n_tasks; i++) {
		taddr sp = s->tasks[i].sp, start, end;

		if (sp < m->map.start || sp >= m->map.end)
			continue;
		if (stack_of_task(&r, &s->tasks[i], &start, &end))
			rest = divide_stack(d, m, sp, start, end, rest);
		else if (!lowest || sp < lowest)
			lowest = sp;
	}
	return lowest ? divide_stack(d, m, lowest, m->map.start, m->map.end, rest) : rest;
}

/* Divide what is left of the mapping without the allocator's part. */
static void divide_rest(struct division *d, const struct smap *m, uint64_t rest)
{
	enum rss_kind kind = kind_of_rest(d, m);

	rest = divide_stacks(d, m, rest);
	if (kind == RSS_FILE_READ) {
		uint64_t written = least(m->anonymous, rest);

		d->parts[RSS_FILE_WRITTEN] += written;
		rest -= written;
	}
	d->parts[kind] += rest;
}

/* ---- rows ---- */

static bool has_name(enum rss_kind kind, const struct rss_facts *f, const struct smap *m)
{
	switch (kind) {
	case RSS_CODE:
	case RSS_FILE_READ:
	case RSS_FILE_WRITTEN:
	case RSS_FILE_SHARED:
		return f->modules;
	case RSS_ANON:
		return m->map.path[0] == '[';
	default:
		return false;
	}
}

static struct rss_row *row_of(struct rss *r, enum rss_kind kind, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->rows[i].kind == kind && !strcmp(r->rows[i].name, name))
			return &r->rows[i];
	if (ARRAY_RESERVE(&r->rows, &r->cap, r->n))
		return NULL;
	char *copy = strdup(name);
	if (!copy)
		return NULL;
	r->rows[r->n] = (struct rss_row){.kind = kind, .name = copy};
	return &r->rows[r->n++];
}

/* Divide a mapping's Pss by its parts; the remainder goes where the most was rounded off. */
static void divide_pss(const struct division *d, const struct smap *m, uint64_t pss[N_RSS_KINDS])
{
	uint64_t cut[N_RSS_KINDS] = {0}, left = m->pss;

	for (int k = 0; k < N_RSS_KINDS; k++) {
		unsigned __int128 share = (unsigned __int128)m->pss * d->parts[k];

		pss[k] = m->rss ? (uint64_t)(share / m->rss) : 0;
		cut[k] = m->rss ? (uint64_t)(share % m->rss) : 0;
		left -= pss[k];
	}
	while (left && m->rss) {
		int most = 0;

		for (int k = 1; k < N_RSS_KINDS; k++)
			most = cut[k] > cut[most] ? k : most;
		pss[most]++;
		cut[most] = 0;
		left--;
	}
}

static int add_rows(struct division *d, const struct smap *m)
{
	uint64_t pss[N_RSS_KINDS];

	divide_pss(d, m, pss);
	for (int k = 0; k < N_RSS_KINDS; k++) {
		if (!d->parts[k])
			continue;
		struct rss_row *row =
			row_of(d->r, (enum rss_kind)k,
			       has_name((enum rss_kind)k, d->f, m) ? m->map.path : "");
		if (!row)
			return -ENOMEM;
		row->rss += d->parts[k];
		row->pss += pss[k];
	}
	return 0;
}

/* The kernel counts fewer pages than are present: some are its zero page. These are in memory that
 * is read and not written, which is seldom a live block: take them out in this order. */
static uint64_t take_out(struct division *d, uint64_t excess)
{
	static const enum rss_kind order[] = {RSS_TOP,	RSS_FREE, RSS_NOT_EXPLAINED,
					      RSS_LIVE, RSS_OWN,  RSS_HEADERS};
	uint64_t left = excess;

	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		uint64_t out = least(left, d->parts[order[i]]);

		d->parts[order[i]] -= out;
		left -= out;
	}
	return excess - left;
}

static int divide_mapping(const struct smap *m, void *ctx)
{
	struct division *d = ctx;
	uint64_t sum = 0;

	memset(d->parts, 0, sizeof d->parts);
	/* The kernel does not count hugetlb pages in Rss. */
	if (d->f->walk && !m->hugetlb)
		divide_heap(d, m);
	for (int k = 0; k < N_RSS_KINDS; k++)
		sum += d->parts[k];
	if (sum > m->rss)
		d->r->zeros_within += take_out(d, sum - m->rss);
	else
		divide_rest(d, m, m->rss - sum);
	d->r->total += m->rss;
	d->r->pss += m->pss;
	d->r->swap += m->swap;
	d->r->hugetlb += m->hugetlb;
	return add_rows(d, m);
}

static int by_kind_and_size(const void *left, const void *right)
{
	const struct rss_row *a = left, *b = right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->rss != b->rss)
		return a->rss > b->rss ? -1 : 1;
	return strcmp(a->name, b->name);
}

int rss_divide(struct rss *r, const struct rss_facts *f, const char *smaps)
{
	struct division d = {.r = r, .f = f};

	*r = (struct rss){0};
	int err = smaps_each_in(smaps, divide_mapping, &d);
	end_page(&d);
	if (err)
		rss_release(r);
	else if (r->n)
		qsort(r->rows, r->n, sizeof *r->rows, by_kind_and_size);
	return err;
}
