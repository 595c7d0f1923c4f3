/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_SNAPSHOTS_H
#define MPROF_MASSIF_SNAPSHOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Massif's table of snapshots: when one is taken, and which are removed when the table is full.
 * Pure data: the owner decides what is measured, and in which unit of time.
 * The rules are in doc/formats.md, section 1.4.
 * Source: Valgrind's manual, "Massif"; ms_main.c's maybe_take_snapshot() and cull_snapshots().
 */

struct massif_rules {
	unsigned max_snapshots;	/* at least 3 */
	unsigned detailed_freq;	/* every so many-th snapshot has a tree; 0: only the peak */
	double peak_inaccuracy;	/* per cent by which a new peak must exceed the last one recorded */
	bool keep_maxima;	/* do not remove a snapshot that has more than both its
				   neighbours */
};

/* What was measured at a moment. */
struct massif_numbers {
	uint64_t time;		/* in the table's unit; never decreases */
	uint64_t useful, extra, stacks; /* bytes */
	uint64_t blocks;	/* live */
	uint64_t churn;		/* sum of the absolute changes of useful + extra + stacks */
};

/* Bytes of one context. */
struct massif_share {
	uint32_t context;
	uint64_t bytes;		/* > 0 */
};

/* All contexts of a detailed snapshot: [0, n_contexts) existed; those not listed had no bytes. */
struct massif_detail {
	uint32_t n_contexts;
	size_t n;
	struct massif_share shares[];
};

struct massif_snapshot {
	struct massif_numbers at;
	struct massif_detail *detail;	/* NULL: a plain snapshot. Owned by the snapshot */
	bool peak;
};

struct massif_table {
	struct massif_rules rules;
	struct massif_snapshot *snapshots;
	size_t n, cap;
	uint64_t recorded_peak;	/* total of the last peak that was recorded */
	uint64_t interval, next_time;
	unsigned plain;		/* number of snapshots since the last one with a tree */
	struct massif_numbers high; /* the first with most useful bytes since the last snapshot */
};

enum massif_attempt { MASSIF_NOTHING, MASSIF_PLAIN, MASSIF_DETAILED, MASSIF_PEAK };

/* Bytes in all. */
static inline uint64_t massif_total(const struct massif_numbers *at)
{
	return at->useful + at->extra + at->stacks;
}

/* Begin with an empty table; @rules are copied. */
void massif_table_init(struct massif_table *t, const struct massif_rules *rules);
void massif_table_release(struct massif_table *t);

/* Copy a table with its details; *@to can be released even on failure. 0 or -ENOMEM. */
int massif_table_copy(struct massif_table *to, const struct massif_table *from);

/* Remove all snapshots and begin anew. */
void massif_table_clear(struct massif_table *t);

/* Which snapshot is due: by time, at @time; as a peak, before @total decreases. */
enum massif_attempt massif_ordinary_attempt(const struct massif_table *t, uint64_t time);
enum massif_attempt massif_peak_attempt(const struct massif_table *t, uint64_t total);

/* For a table with keep_maxima: report the state @at after an event. If a snapshot is due, it gets
 * the highest state since the last snapshot, if that is above both that one and @at. Two snapshots
 * never have the same time. 0 or -ENOMEM. */
int massif_pass(struct massif_table *t, const struct massif_numbers *at);

/* The highest state since the last snapshot, if it is above that one; NULL: it is not. */
const struct massif_numbers *massif_left_out(const struct massif_table *t);

/**
 * Take a snapshot that is due; then halve the table if it is full.
 * @detail  from malloc, owned by the table; NULL for MASSIF_PLAIN only
 * Returns 0, or -ENOMEM: no snapshot was taken, and the next attempt is due.
 */
int massif_take(struct massif_table *t, enum massif_attempt kind, const struct massif_numbers *at,
		 struct massif_detail *detail);

#endif
