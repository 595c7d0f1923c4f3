/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_LIFETIMES_H
#define MPROF_REPORT_LIFETIMES_H

#include "profile/profile_data.h"

/* Lifetimes by call site: those of all chains that end there. */
struct site_lifetimes {
	uint32_t site;		/* PD_NONE: empty chains */
	uint64_t frees, temporary;
	uint64_t blocks[2][64];	/* [PD_LIFE_EVENTS or PD_LIFE_NS][bucket] */
};

struct lifetimes_table {
	struct site_lifetimes **rows;	/* most temporary blocks first, then most frees, then by
					   name */
	size_t n;
	uint64_t frees, temporary;	/* of all */
};

/* @rank: from names_ranks(). 0 or -ENOMEM; must be released in any case. */
int lifetimes_collect(const struct profile_data *d, const uint32_t *rank,
		      struct lifetimes_table *t);
void lifetimes_table_release(struct lifetimes_table *t);

/* The bucket of the shortest (@part 0), the median (1) or the longest lifetime (2). */
unsigned lifetimes_part(const uint64_t blocks[64], int part);

#endif
