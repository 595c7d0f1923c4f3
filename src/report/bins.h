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

/* Returns 0 or -ENOMEM. */
int bins_collect(const struct profile_data *d, struct bins *b);
void bins_release(struct bins *b);

void bins_add(struct bin *to, const struct bin *from);

/* Whether a bin of at most BINS_LARGEST is a row of table 1; @typed: some type has its size. */
bool bins_printed(const struct bins *b, const struct bin *bin, bool typed, enum report_level level);

/**
 * How many rows with a size of its own table 1 has at a level.
 * Returns 0 or -ENOMEM.
 */
int bins_count_rows(const struct profile_data *d, enum report_level level, size_t *n);

/* The first of the types that are at least @size bytes: an index into types[], or n_types. */
size_t bins_first_type(const struct profile_data *d, uint64_t size);

#endif
