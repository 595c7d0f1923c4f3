/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PERFMAP_H
#define MPROF_PERFMAP_H

#include "symbols/strpool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function that a just-in-time compiler made, [start, end), absolute addresses. */
struct perfmap_entry {
	uint64_t start, end;
	uint64_t reach;		/* the greatest end of this entry and all before it */
	size_t order;		/* of its line: code is thrown away, and its place used again */
	const char *name;
};

/* So much of a map is read: honest ones have some hundred megabytes at most, and a hole in a file
 * may have terabytes. */
#define PERFMAP_MIB_MAX 512u
#define PERFMAP_ENTRIES_MAX 10000000u

/* What a program wrote about its generated code. A zeroed struct is an empty table. */
struct perfmap {
	struct perfmap_entry *v;	/* sorted by start, then order */
	size_t n, cap;
	bool cut;			/* it has more than is read of a map */
	struct strpool names;
};

/**
 * Read a perf map: lines "START SIZE NAME", both numbers in hexadecimal. Other lines are passed
 * over, and of a long one the beginning counts.
 * @fd  of a regular file, which stays the caller's and is read from its beginning; it may still be
 *      growing
 * Returns 0 or -ENOMEM.
 * Source: tools/perf/Documentation/jit-interface.txt of Linux.
 */
int perfmap_read(struct perfmap *m, int fd);
void perfmap_release(struct perfmap *m);

/* The entry that holds @at, the latest if there are several; NULL if there is none. */
const struct perfmap_entry *perfmap_find(const struct perfmap *m, uint64_t at);

#endif
