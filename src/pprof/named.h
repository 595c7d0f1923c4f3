/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_NAMED_H
#define MPROF_PPROF_NAMED_H

#include "pprof/heapstacks.h"

/*
 * The names that a text file itself has for its addresses: those of "--- symbol", or of Go's
 * comments.
 */
struct named_address {
	uint64_t address;	/* as it stands in the stacks */
	/* The functions, innermost first, a line each: a name, and perhaps a tab and
	 * "file:line". */
	char *names;
};

struct named {
	struct named_address *v;
	size_t n, cap;
};

void named_release(struct named *t);

/* The first name of an address, copied. 0 or -ENOMEM. */
int named_add(struct named *t, uint64_t address, const char *name);

/* One more of the address that was added last: of what is inlined into all that is there, or of
 * what all that is there is inlined into. 0 or -ENOMEM. */
int named_add_inner(struct named *t, const char *name);
int named_add_outer(struct named *t, const char *name);

/* Before the first named_lines(), and when all are in. */
void named_sort(struct named *t);

/* The functions of an address, as a location has them; for free(). None: *n is 0. 0 or -ENOMEM. */
int named_lines(const struct named *t, uint64_t address, struct heap_stacks *h,
		struct pp_line **lines, size_t *n);

#endif
