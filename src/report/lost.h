/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_LOST_H
#define MPROF_REPORT_LOST_H

#include "heapwalk/reachable.h"
#include "report/heap.h"
#include "report/lost_paths.h"

/* Which blocks on a process's heap can still be reached, and which are lost. */
struct lost_report {
	struct heap_report heap;
	const struct spans *blocks;
	const struct reach *reach;
	unsigned passes;     /* copies in each of which a block was lost; 1: the only one */
	bool lists_possible; /* list possibly lost blocks, too */
	const struct lost_requests *requests; /* NULL: no session knows what requested them */
	bool advises;	     /* print how to begin such a session */
};

/* Blocks of one class and one size. */
struct lost_row {
	uint64_t usable;
	struct heap_sum blocks, through; /* through: lost through these blocks */
};

/* The groups that are listed by size, as no path is known. */
enum lost_group {
	LOST_BEFORE,   /* lost directly, and from before the session */
	LOST_UNKNOWN,  /* lost directly, not from before; without a session all */
	LOST_POSSIBLE, /* possibly lost; nothing is lost through these */
};

/**
 * The rows of a group.
 * Returns them, sorted by bytes including those lost through them, for free(); NULL: none, or
 * *err is -ENOMEM.
 */
struct lost_row *lost_rows(const struct lost_report *r, enum lost_group group, size_t *n, int *err);

/* As text, and as JSON, schema mprof.leaks.v1. 0 or -errno. */
int report_lost(const struct lost_report *r, FILE *out);
int report_lost_json(const struct lost_report *r, FILE *out);

#endif
