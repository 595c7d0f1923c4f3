/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_SETTINGS_H
#define MPROF_MASSIF_SETTINGS_H

#include "massif/filter.h"
#include "massif/snapshots.h"

/* What a snapshot's time means. */
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
	double threshold;	/* percent of the total below which groups are aggregated */
};

/* Bytes of bookkeeping and rounding that a block of @size is charged for. */
static inline uint64_t massif_extra(const struct massif_settings *s, uint64_t size)
{
	return s->heap_admin + (-size & (s->alignment - 1));
}

#endif
