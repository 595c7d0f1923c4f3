/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_LOST_H
#define MPROF_REPORT_LOST_H

#include "heapwalk/reachable.h"
#include "report/heap.h"
#include "report/lost_paths.h"

/* What of a process's heap can still be reached. */
struct lost_report {
	struct heap_report heap;
	const struct spans *blocks;
	const struct reach *reach;
	unsigned passes;     /* in so many copies it was lost; 1: in the only one */
	bool lists_possible; /* those blocks, too */
	const struct lost_requests *requests; /* NULL: no session tells who has requested what */
	bool advises; /* to have one */
};

/* Blocks of one class and one size. */
struct lost_row {
	uint64_t usable;
	struct heap_sum blocks, through; /* what is lost through them */
};

/* What rows by size are about, where there is nothing else to tell it by. */
enum lost_group {
	LOST_BEFORE,   /* what is lost directly, and is from before the session */
	LOST_UNKNOWN,  /* what is lost directly of no other known path; without a session all */
	LOST_POSSIBLE, /* nothing is through those */
};

/**
 * Rows of a group.
 * Returns them in order, most bytes with those through them first, for free(); NULL: none, or out
 * of memory, which *err says.
 */
struct lost_row *lost_rows(const struct lost_report *r, enum lost_group group, size_t *n, int *err);

/* For people, and as JSON, schema mprof.leaks.v1. 0 or -errno. */
int report_lost(const struct lost_report *r, FILE *out);
int report_lost_json(const struct lost_report *r, FILE *out);

#endif
