/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_SUMMARY_H
#define MPROF_REPORT_SUMMARY_H

#include "profile/trend.h"
#include "profile/runtime.h"

/* What was kept of all that was requested below one line of the program's own code, which is its
 * cause (causes.h). */
struct summary_row {
	uint32_t site; /* of that line; without own code the requesting site, or PD_NONE */
	/* A place in the function that requests most of it, if the cause is farther out than the
	 * nearest line of own code; else PD_NONE. */
	uint32_t through;
	uint64_t bytes, blocks;
	uint64_t frees; /* of other blocks */
	struct pd_sum reach[PD_REACH_CLASSES];
	struct pd_sum hanging; /* lost through what is lost directly here; usable bytes */
	/* A place in the own function that called that line and lost most bytes directly; PD_NONE:
	 * there is none. And how many such functions there are. */
	uint32_t caller;
	size_t callers;
	bool hangs; /* most of it is lost, but none directly: it hangs on other rows */
	bool own;
	struct trend_verdict verdict;
	char *type; /* of what was requested; NULL: not known */
};

struct summary {
	uint64_t bytes, blocks; /* kept, in all */
	/* Sorted by importance: direct losses, by their bytes and what hangs on them; growth, by
	 * its rate; the rest by kept bytes; last the rows that hang. */
	struct summary_row *rows;
	size_t n, n_hanging;
	size_t growing; /* rows that grow */
	uint64_t grown; /* their blocks that are not lost: these may have replaced older ones */
	struct pd_sum reach[PD_REACH_CLASSES]; /* of all that was counted */
	struct pd_sum runtime[RUNTIME_KINDS]; /* in none of the rows */
};

/* @own_code: as in own_code.h. 0, or -ENOMEM: then there is nothing to release. */
int summary_collect(const struct profile_data *d, const char *const *own_code, struct summary *s);

/* Rows that grow come first, even before losses; rows that hang are not last any more. */
void summary_sort_by_growth(struct summary *s);
void summary_release(struct summary *s);

#endif
