/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/pages.h"

#include "base/array.h"
#include "base/search.h"
#include "proc/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void pages_release(struct pages *p)
{
	free(p->ranges);
	*p = (struct pages){ 0 };
}

int pages_copy(struct pages *to, const struct pages *from)
{
	*to = *from;
	to->ranges = calloc(from->n + 1, sizeof *to->ranges);
	if (!to->ranges) {
		*to = (struct pages){ 0 };
		return -ENOMEM;
	}
	to->cap = from->n + 1;
	if (from->n)
		memcpy(to->ranges, from->ranges, from->n * sizeof *to->ranges);
	return 0;
}

/* The first range whose end is above @at. */
static size_t seek(const struct pages *p, taddr at)
{
	return SEARCH_FIRST(p->n, i, p->ranges[i].end > at);
}

static void insert(struct pages *p, size_t i, const struct page_range *r)
{
	memmove(&p->ranges[i + 1], &p->ranges[i], (p->n - i) * sizeof *p->ranges);
	p->ranges[i] = *r;
	p->n++;
}

static void drop(struct pages *p, size_t i)
{
	p->n--;
	memmove(&p->ranges[i], &p->ranges[i + 1], (p->n - i) * sizeof *p->ranges);
}

/* Remove [start, end) from range i, which it overlaps. Returns the index of the range to look at
 * next. */
static size_t cut(struct pages *p, size_t i, taddr start, taddr end, pages_change *change,
		  void *ctx)
{
	struct page_range *r = &p->ranges[i], before = *r;
	taddr from = start > r->start ? start : r->start, to = end < r->end ? end : r->end;

	change(ctx, r->node, true, to - from);
	if (before.start < from && before.end > to) {
		r->end = from;
		before.start = to;
		insert(p, i + 1, &before);
		return i + 2;
	}
	if (before.start < from) {
		r->end = from;
		return i + 1;
	}
	if (before.end > to) {
		r->start = to;
		return i + 1;
	}
	drop(p, i);
	return i;
}

int pages_unmap(struct pages *p, taddr start, taddr end, uint64_t before, pages_change *change,
		void *ctx)
{
	/* There can be at most one more range: if the middle of a single one is cut out. */
	if (ARRAY_RESERVE(&p->ranges, &p->cap, p->n))
		return -ENOMEM;
	for (size_t i = seek(p, start); start < end && i < p->n && p->ranges[i].start < end;)
		i = p->ranges[i].born < before ? cut(p, i, start, end, change, ctx) : i + 1;
	return 0;
}

bool pages_any(const struct pages *p, taddr start, taddr end, uint64_t before)
{
	for (size_t i = seek(p, start); start < end && i < p->n && p->ranges[i].start < end; i++)
		if (p->ranges[i].born < before)
			return true;
	return false;
}

int pages_map(struct pages *p, const struct page_range *r, pages_change *change, void *ctx)
{
	if (r->start >= r->end)
		return 0;
	/* One for the range, and one if it splits another. */
	if (ARRAY_RESERVE(&p->ranges, &p->cap, p->n + 1))
		return -ENOMEM;
	pages_unmap(p, r->start, r->end, UINT64_MAX, change, ctx);
	insert(p, seek(p, r->start), r);
	change(ctx, r->node, false, r->end - r->start);
	return 0;
}

taddr pages_end_of(const struct pages *p, taddr start)
{
	size_t i = seek(p, start);

	return i < p->n && p->ranges[i].start == start ? p->ranges[i].end : 0;
}

static taddr round_up(uint64_t n)
{
	return (n + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

static struct page_plan plan_remap(const struct page_event *e)
{
	taddr old_end = e->old + round_up(e->old_len), end = e->at + round_up(e->len);
	struct page_plan plan = { e->old, old_end, e->at, end };

	if (e->kind == PE_REMAP_KEEP)
		plan.unmap_end = plan.unmap;
	/* Resized in place: only the part that is cut off or added changes. */
	if (e->at == e->old && e->old_len) {
		plan.map = old_end < end ? old_end : end;
		plan.unmap = end < old_end ? end : old_end;
	}
	return plan;
}

static struct page_plan plan_break(struct pages *p, taddr at)
{
	taddr was = round_up(p->brk ? p->brk : at), now = round_up(at);

	p->brk = at;
	return now < was ? (struct page_plan){ .unmap = now, .unmap_end = was } :
			   (struct page_plan){ .map = was, .map_end = now };
}

struct page_plan pages_plan(struct pages *p, const struct page_event *e, taddr segment_end)
{
	switch (e->kind) {
	case PE_MAP:
		return (struct page_plan){ .map = e->at, .map_end = e->at + round_up(e->len) };
	case PE_UNMAP:
		return (struct page_plan){ .unmap = e->at, .unmap_end = e->at + round_up(e->len) };
	case PE_REMAP:
	case PE_REMAP_KEEP:
		return plan_remap(e);
	case PE_BREAK:
		return plan_break(p, e->at);
	case PE_ATTACH:
		return (struct page_plan){ .map = e->at, .map_end = segment_end };
	case PE_DETACH:
		return (struct page_plan){ .unmap = e->at, .unmap_end = pages_end_of(p, e->at) };
	}
	return (struct page_plan){ 0 };
}

/* ---- proc(5) ---- */

struct telling {
	void (*each)(void *ctx, taddr start, taddr end, const char *name);
	void *ctx;
};

static int tell(const struct proc_map *m, void *ctx)
{
	struct telling *t = ctx;

	if (strcmp(m->path, "[vsyscall]"))
		t->each(t->ctx, m->start, m->end, m->path);
	return 0;
}

static bool read_pages(pid_t pid,
		       void (*each)(void *ctx, taddr start, taddr end, const char *name), void *ctx)
{
	struct telling t = { each, ctx };

	return !proc_maps_each(pid, tell, &t);
}

const struct page_source proc_pages = { read_pages };
