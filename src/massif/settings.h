/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_SETTINGS_H
#define MPROF_MASSIF_SETTINGS_H

#include "massif/filter.h"
#include "massif/snapshots.h"

/* The unit of a snapshot's time. */
enum massif_unit {
	MASSIF_BYTES,	/* B: allocated and freed since the start */
	MASSIF_MS,	/* ms: milliseconds since the start */
	MASSIF_INSTRUCTIONS, /* i: executed by the program */
};

struct massif_settings {
	bool heap, stacks, pages;	/* what is measured; pages instead of heap blocks */
	unsigned heap_admin;	/* bytes charged for each block */
	uint64_t alignment;	/* power of two to which sizes are rounded up */
	enum massif_unit unit;
	struct massif_rules rules;
	struct massif_filter filter;
	double threshold;	/* per cent of the total; groups below are aggregated */
};

/* Bytes of overhead charged for a block of @size: bookkeeping and rounding. */
static inline uint64_t massif_extra(const struct massif_settings *s, uint64_t size)
{
	return s->heap_admin + (-size & (s->alignment - 1));
}

#endif
