/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_DIRECT_H
#define MPROF_REPORT_DIRECT_H

#include "profile/profile_data.h"
#include "report/sums.h"
#include "report/typed_sizes.h"

#include <stdbool.h>
#include <stddef.h>

/* The direct requests of a function, or of a line. */
struct direct_row {
	uint32_t function;		/* a number of names.h */
	uint32_t site;			/* one of that line; PD_NONE: none, or a function's row */
	struct sums own;
	uint64_t kept[N_SIZE_CLASSES];	/* bytes of own that were not freed */
};

/* All rows, in the order of table 3, and their sum. */
struct direct {
	struct direct_row *rows;
	size_t n;
	struct direct_row total;
	struct typed_sizes sizes;	/* owner: the function; only if rows are functions */
};

/* @rank   from names_ranks()
 * @lines  a row for each line of a function. Returns 0 or -ENOMEM. */
int direct_collect(const struct profile_data *d, const uint32_t *rank, bool lines,
		   struct direct *t);
void direct_release(struct direct *t);

#endif
