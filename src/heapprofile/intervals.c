/* SPDX-License-Identifier: BSD-2-Clause */
#include "heapprofile/intervals.h"

#include <inttypes.h>
#include <stdio.h>

#define NS_PER_SECOND 1000000000u

static uint64_t in_use(const struct heap_totals *t)
{
	return t->alloc_bytes - t->free_bytes;
}

enum heap_cause heap_due(const struct heap_intervals *i, const struct heap_marks *m,
			 const struct heap_totals *t, uint64_t now_ns)
{
	if (i->allocated && t->alloc_bytes - m->allocated >= i->allocated)
		return HEAP_ALLOCATED;
	if (i->freed && t->free_bytes - m->freed >= i->freed)
		return HEAP_FREED;
	/* Compared by differences: the sum of a mark and an interval may overflow. */
	if (i->in_use && in_use(t) > m->high_water && in_use(t) - m->high_water > i->in_use)
		return HEAP_IN_USE;
	if (i->time_ns && now_ns > m->time_ns && now_ns - m->time_ns >= i->time_ns)
		return HEAP_TIME;
	return HEAP_NOT_DUE;
}

void heap_was_due(struct heap_marks *m, const struct heap_totals *t, enum heap_cause cause,
		  uint64_t now_ns)
{
	m->allocated = t->alloc_bytes;
	m->freed = t->free_bytes;
	if (in_use(t) > m->high_water)
		m->high_water = in_use(t);
	if (cause == HEAP_TIME)
		m->time_ns = now_ns;
}

void heap_reason(char *text, size_t size, enum heap_cause cause, const struct heap_marks *m,
		 const struct heap_totals *t, uint64_t now_ns)
{
	uint64_t used = in_use(t) >> 20;

	switch (cause) {
	case HEAP_ALLOCATED:
		snprintf(text, size, "%" PRIu64 " MB allocated cumulatively, %" PRIu64
			 " MB currently in use", t->alloc_bytes >> 20, used);
		break;
	case HEAP_FREED:
		snprintf(text, size, "%" PRIu64 " MB freed cumulatively, %" PRIu64
			 " MB currently in use", t->free_bytes >> 20, used);
		break;
	case HEAP_IN_USE:
		snprintf(text, size, "%" PRIu64 " MB currently in use", used);
		break;
	case HEAP_TIME:
		snprintf(text, size, "%" PRIu64 " sec since the last dump",
			 (now_ns - m->time_ns) / NS_PER_SECOND);
		break;
	case HEAP_NOT_DUE:
		snprintf(text, size, "not due");
		break;
	}
}

void heap_exit_reason(char *text, size_t size, const struct heap_totals *t)
{
	uint64_t used = in_use(t);

	if (used >= 1 << 20)
		snprintf(text, size, "Exiting, %" PRIu64 " MB in use", used >> 20);
	else if (used >= 1 << 10)
		snprintf(text, size, "Exiting, %" PRIu64 " kB in use", used >> 10);
	else
		snprintf(text, size, "Exiting, %" PRIu64 " bytes in use", used);
}
