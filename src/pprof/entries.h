/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_ENTRIES_H
#define MPROF_PPROF_ENTRIES_H

#include "pprof/heapstacks.h"

/* What makes an entry of a listing. */
enum heap_grain { BY_FUNCTION, BY_LINE, BY_FILE, BY_ADDRESS };

struct heap_entry {
	char *name;
	int64_t flat;	/* sum over stacks whose innermost frame it is */
	int64_t cumulative; /* sum over stacks that contain it, each once */
};

/* The frames of all stacks as entries. */
struct heap_entries {
	struct heap_entry *v;
	size_t n, cap;
	struct idindex index;
	uint32_t *of_line;	/* by line of the profile: its entry */
	uint32_t *of_location;	/* by location: its entry if it has no line; PP_NONE: it has
				   lines */
};

void heap_entries_release(struct heap_entries *e);

/**
 * Find the entries of a profile and add up their values.
 * @full  names with parameters and template arguments; otherwise without, as in pprof
 * 0 or -ENOMEM; release @e in any case.
 */
int heap_entries_find(struct heap_entries *e, const struct heap_stacks *h, enum heap_grain grain,
		      bool full, enum heap_value value);

/* Call @frame for each entry of a stack, innermost first. */
void heap_entries_walk(const struct heap_entries *e, const struct heap_stacks *h,
		       const struct stack *s, void (*frame)(void *ctx, uint32_t entry), void *ctx);

#endif
