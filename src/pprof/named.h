/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_NAMED_H
#define MPROF_PPROF_NAMED_H

#include "pprof/heapstacks.h"

/*
 * The names that a text file itself gives for its addresses: by "--- symbol", or in Go's comments.
 */
struct named_address {
	uint64_t address;	/* as in the stacks */
	/* The functions, innermost first, one per line: a name, and maybe a tab and "file:line". */
	char *names;
};

struct named {
	struct named_address *v;
	size_t n, cap;
};

void named_release(struct named *t);

/* Add an address with its first name, copied. 0 or -ENOMEM. */
int named_add(struct named *t, uint64_t address, const char *name);

/* Add a name to the address added last: a function inlined into those that it has, or one that
 * these are inlined into. 0 or -ENOMEM. */
int named_add_inner(struct named *t, const char *name);
int named_add_outer(struct named *t, const char *name);

/* Call it when all are added, before named_lines(). */
void named_sort(struct named *t);

/* The functions of an address as lines of a location; for free(). If there are none, *n is 0. 0 or
 * -ENOMEM. */
int named_lines(const struct named *t, uint64_t address, struct heap_stacks *h,
		struct pp_line **lines, size_t *n);

#endif
