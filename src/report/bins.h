/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_BINS_H
#define MPROF_REPORT_BINS_H

#include "profile/profile_data.h"
#include "report/report.h"

#include <stdbool.h>

/* Requests above this size share one bin of table 1. */
#define BINS_LARGEST 1024

struct bin {
	uint64_t size;
	uint64_t allocs, bytes, frees, kept;	/* bytes: requested; kept: bytes of it not freed */
};

/* One bin for every exact size that was requested, by increasing size, and their sum. */
struct bins {
	struct bin *items;
	size_t n;
	struct bin total;
};

/* 0 or -ENOMEM. */
int bins_collect(const struct profile_data *d, struct bins *b);
void bins_release(struct bins *b);

/* Adds the counts of @from to @to. */
void bins_add(struct bin *to, const struct bin *from);

/* Is a bin of at most BINS_LARGEST a row of table 1? @typed: a type of its size is known. */
bool bins_printed(const struct bins *b, const struct bin *bin, bool typed, enum report_level level);

/**
 * Count the rows of table 1 that have a size of their own.
 * Returns 0 or -ENOMEM.
 */
int bins_count_rows(const struct profile_data *d, enum report_level level, size_t *n);

/* The first type of at least @size bytes: an index into types[], or n_types. */
size_t bins_first_type(const struct profile_data *d, uint64_t size);

#endif
