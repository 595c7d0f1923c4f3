/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_ENTRIES_H
#define MPROF_PPROF_ENTRIES_H

#include "pprof/heapstacks.h"

/* What an entry of a listing is. */
enum heap_grain { BY_FUNCTION, BY_LINE, BY_FILE, BY_ADDRESS };

struct heap_entry {
	char *name;
	int64_t flat;	/* of the stacks whose innermost frame it is */
	int64_t cumulative; /* of the stacks it is in, each once */
};

/* The frames of all stacks as entries. */
struct heap_entries {
	struct heap_entry *v;
	size_t n, cap;
	struct idindex index;
	uint32_t *of_line;	/* the entry of each of the profile's lines */
	uint32_t *of_location;	/* of locations without a line; PP_NONE: it has lines */
};

void heap_entries_release(struct heap_entries *e);

/**
 * @full  names with parameters and template arguments; else without, as pprof shows them
 * 0 or -ENOMEM; what there is is to be released.
 */
int heap_entries_find(struct heap_entries *e, const struct heap_stacks *h, enum heap_grain grain,
		      bool full, enum heap_value value);

/* The entries of a stack, innermost first: calls @frame for each. */
void heap_entries_walk(const struct heap_entries *e, const struct heap_stacks *h,
		       const struct stack *s, void (*frame)(void *ctx, uint32_t entry), void *ctx);

#endif
