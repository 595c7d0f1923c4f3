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
	uint64_t allocated, freed;	/* bytes since the last profile for this reason */
	uint64_t in_use;	/* bytes above the high-water mark */
	uint64_t time_ns;
};

/* Counted since recording began. */
struct heap_totals {
	uint64_t allocs, alloc_bytes, frees, free_bytes;
};

/* State after the last profile; at the beginning zeroed except for time_ns. */
struct heap_marks {
	uint64_t allocated, freed, high_water;
	uint64_t time_ns;	/* of the last profile due by time, or of the beginning */
};

/* In the order in which the rules are checked. */
enum heap_cause { HEAP_NOT_DUE, HEAP_ALLOCATED, HEAP_FREED, HEAP_IN_USE, HEAP_TIME };

/* The first rule by which a profile is due now. */
enum heap_cause heap_due(const struct heap_intervals *i, const struct heap_marks *m,
			 const struct heap_totals *t, uint64_t now_ns);

/* Update the marks: a profile was written for @cause. Not called for profiles on request. */
void heap_was_due(struct heap_marks *m, const struct heap_totals *t, enum heap_cause cause,
		  uint64_t now_ns);

/* The reason, for people; @m as it was before heap_was_due(). */
void heap_reason(char *text, size_t size, enum heap_cause cause, const struct heap_marks *m,
		 const struct heap_totals *t, uint64_t now_ns);

/* The reason of the last profile: "Exiting, 12 kB in use". */
void heap_exit_reason(char *text, size_t size, const struct heap_totals *t);

#endif
