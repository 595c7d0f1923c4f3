/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages and stacks in Massif's account. */
#include "massif/recorder_internal.h"

#include <string.h>

void massif_count_stacks(struct massif_recorder *r, int64_t change)
{
	if (!change)
		return;
	if (change < 0)
		massif_try_peak(r);
	r->now.stacks += (uint64_t)change;
	r->now.churn += (uint64_t)(change < 0 ? -change : change);
	massif_try_ordinary(r);
}

static void pages_changed(void *ctx, uint32_t node, bool gone, uint64_t bytes)
{
	struct massif_recorder *r = ctx;
	struct massif_context *c = massif_context_at(r, node);

	if (!c)
		r->lost++;
	if (!c || c->ignored)
		return;
	c->bytes += gone ? -bytes : bytes;
	r->now.useful += gone ? -bytes : bytes;
}

static void add_mapping(void *ctx, taddr start, taddr end, const char *name)
{
	struct massif_recorder *r = ctx;
	const struct page_range range = { start, end, PD_ROOT_WHOLE, 0 };

	if (!strcmp(name, "[heap]"))
		r->pages.brk = end;
	if (!strcmp(name, "[stack]")) {
		r->pages.stack_start = start;
		r->pages.stack_end = end;
	}
	r->lost += pages_map(&r->pages, &range, pages_changed, r) != 0;
}

/* The kernel extends the first thread's stack without a system call. */
void massif_find_stack_growth(struct massif_recorder *r)
{
	struct pages *p = &r->pages;
	taddr start, end;

	if (!p->stack_end || !r->host->stacks->mapping(r->pid, p->stack_end - 1, &start, &end) ||
	    start >= p->stack_start)
		return;
	const struct page_range range = { start, p->stack_start, PD_ROOT_WHOLE, 0 };

	r->now.churn += p->stack_start - start;
	p->stack_start = start;
	r->lost += pages_map(p, &range, pages_changed, r) != 0;
}

void massif_count_pages(struct massif_recorder *r, const struct page_event *e, uint32_t node)
{
	taddr start, end = e->at;

	if (e->kind == PE_ATTACH && !r->host->stacks->mapping(r->pid, e->at, &start, &end))
		end = e->at;
	struct page_plan plan = pages_plan(&r->pages, e, end);
	const struct page_range range = { plan.map, plan.map_end, node, e->number };
	uint64_t before = r->now.useful;

	if (plan.unmap >= plan.unmap_end && plan.map >= plan.map_end)
		return;
	if (pages_any(&r->pages, plan.unmap, plan.unmap_end, e->begun) ||
	    pages_any(&r->pages, plan.map, plan.map_end, UINT64_MAX))
		massif_try_peak(r);
	if (pages_unmap(&r->pages, plan.unmap, plan.unmap_end, e->begun, pages_changed, r) ||
	    pages_map(&r->pages, &range, pages_changed, r))
		r->lost++;
	r->now.churn += r->now.useful > before ? r->now.useful - before : before - r->now.useful;
	massif_try_ordinary(r);
}

void massif_pages_begin(struct massif_recorder *r)
{
	if (!r->host->pages->read(r->pid, add_mapping, r))
		r->lost++;
}
