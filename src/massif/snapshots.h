/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_SNAPSHOTS_H
#define MPROF_MASSIF_SNAPSHOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Massif's table of snapshots: when one is taken, and which go when the table is full. Pure data:
 * what is measured, and in which unit of time, is the owner's business.
 * The rules are in doc/formats.md, section 1.4.
 * Source: Valgrind's manual, "Massif"; ms_main.c's maybe_take_snapshot() and cull_snapshots().
 */

struct massif_rules {
	unsigned max_snapshots;	/* >= 3 */
	unsigned detailed_freq;	/* every so many-th one has a tree; 0: none but the peak */
	double peak_inaccuracy;	/* percent by which a new peak must exceed the last one recorded */
	bool keep_maxima;	/* no snapshot goes that has more than both its neighbours */
};

/* What is measured at a moment. */
struct massif_numbers {
	uint64_t time;		/* in the table's unit; never less than before */
	uint64_t useful, extra, stacks; /* bytes */
	uint64_t blocks;	/* live */
	uint64_t churn;		/* absolute changes of useful + extra + stacks, summed up */
};

/* Bytes of one context. */
struct massif_share {
	uint32_t context;
	uint64_t bytes;		/* > 0 */
};

/* All contexts of a detailed snapshot: [0, n_contexts) were known; those not listed had no
 * bytes. */
struct massif_detail {
	uint32_t n_contexts;
	size_t n;
	struct massif_share shares[];
};

struct massif_snapshot {
	struct massif_numbers at;
	struct massif_detail *detail;	/* NULL: plain. Belongs to the snapshot */
	bool peak;
};

struct massif_table {
	struct massif_rules rules;
	struct massif_snapshot *snapshots;
	size_t n, cap;
	uint64_t recorded_peak;	/* total of the last one that was a peak */
	uint64_t interval, next_time;
	unsigned plain;		/* since the last one with a tree */
	struct massif_numbers high; /* the first with most useful bytes since the last one */
};

enum massif_attempt { MASSIF_NOTHING, MASSIF_PLAIN, MASSIF_DETAILED, MASSIF_PEAK };

static inline uint64_t massif_total(const struct massif_numbers *at)
{
	return at->useful + at->extra + at->stacks;
}

void massif_table_init(struct massif_table *t, const struct massif_rules *rules);
void massif_table_release(struct massif_table *t);

/* A copy with details of its own; *@to is fit to be released even on failure. 0 or -ENOMEM. */
int massif_table_copy(struct massif_table *to, const struct massif_table *from);

/* Begin anew, with an empty table. */
void massif_table_clear(struct massif_table *t);

/* What an ordinary attempt at @time comes to; what a peak attempt does before @total goes down. */
enum massif_attempt massif_ordinary_attempt(const struct massif_table *t, uint64_t time);
enum massif_attempt massif_peak_attempt(const struct massif_table *t, uint64_t total);

/* An event after which there is @at, for a table that keeps maxima: an ordinary attempt, which
 * comes to the highest there has been since the last snapshot, if that is above both it and @at;
 * two snapshots have different times. 0 or -ENOMEM. */
int massif_pass(struct massif_table *t, const struct massif_numbers *at);

/* What there has been since the last snapshot that is above it; NULL: nothing. */
const struct massif_numbers *massif_left_out(const struct massif_table *t);

/**
 * Take a snapshot that an attempt has come to; then halve the table if it is full.
 * @detail  from malloc, belongs to the table; NULL for MASSIF_PLAIN only
 * Returns 0 or -ENOMEM: there is none, and the next attempt comes to one.
 */
int massif_take(struct massif_table *t, enum massif_attempt kind, const struct massif_numbers *at,
		 struct massif_detail *detail);

#endif
