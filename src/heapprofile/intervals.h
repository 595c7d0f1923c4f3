/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPPROFILE_INTERVALS_H
#define MPROF_HEAPPROFILE_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

/*
 * When a heap profile is due: the rules of the gperftools heap profiler as functions of plain data
 * (doc/formats.md, section 2.2). Source: gperftools 2.10, heap-profiler.cc,
 * MaybeDumpProfileLocked().
 */

/* 0: never. */
struct heap_intervals {
	uint64_t allocated, freed;	/* bytes since the last profile of these rules */
	uint64_t in_use;	/* bytes above the high-water mark */
	uint64_t time_ns;
};

/* Since recording began. */
struct heap_totals {
	uint64_t allocs, alloc_bytes, frees, free_bytes;
};

/* What the last profile left behind; zeroed but for time_ns when recording begins. */
struct heap_marks {
	uint64_t allocated, freed, high_water;
	uint64_t time_ns;	/* of the last profile that was written for its time, or of the
				   beginning */
};

/* In the order in which they are asked. */
enum heap_cause { HEAP_NOT_DUE, HEAP_ALLOCATED, HEAP_FREED, HEAP_IN_USE, HEAP_TIME };

/* Which rule wants a profile now; the first that does. */
enum heap_cause heap_due(const struct heap_intervals *i, const struct heap_marks *m,
			 const struct heap_totals *t, uint64_t now_ns);

/* A profile has been written for @cause, one of the rules. Those for other reasons are not told
 * here. */
void heap_was_due(struct heap_marks *m, const struct heap_totals *t, enum heap_cause cause,
		  uint64_t now_ns);

/* Why it is written, for people; @m is as it was before heap_was_due(). */
void heap_reason(char *text, size_t size, enum heap_cause cause, const struct heap_marks *m,
		 const struct heap_totals *t, uint64_t now_ns);

/* The reason of the last one: "Exiting, 12 kB in use". */
void heap_exit_reason(char *text, size_t size, const struct heap_totals *t);

#endif
