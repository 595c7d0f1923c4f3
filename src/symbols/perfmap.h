/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PERFMAP_H
#define MPROF_PERFMAP_H

#include "symbols/strpool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function made by a just-in-time compiler, [start, end), absolute addresses. */
struct perfmap_entry {
	uint64_t start, end;
	uint64_t reach;		/* the greatest end of this entry and all before it */
	size_t order;		/* of its line: code is discarded, and its place used again */
	const char *name;
};

/* Limits for a map: real ones have some hundred megabytes at most, but a hole in a file may have
 * terabytes. */
#define PERFMAP_MIB_MAX 512u
#define PERFMAP_ENTRIES_MAX 10000000u

/* A program's list of its generated code. A zeroed struct is an empty table. */
struct perfmap {
	struct perfmap_entry *v;	/* sorted by start, then order */
	size_t n, cap;
	bool cut;			/* it has more than these limits */
	struct strpool names;
};

/**
 * Read a perf map: lines "START SIZE NAME", both numbers in hexadecimal. Other lines are skipped,
 * and only the beginning of a long line is read.
 * @fd  of a regular file, which stays the caller's and is read from its beginning; it may still be
 *      growing
 * Returns 0 or -ENOMEM.
 * Source: tools/perf/Documentation/jit-interface.txt of Linux.
 */
int perfmap_read(struct perfmap *m, int fd);
void perfmap_release(struct perfmap *m);

/* The entry that contains @at, the latest if there are several; NULL if there is none. */
const struct perfmap_entry *perfmap_find(const struct perfmap *m, uint64_t at);

#endif
