/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_SUMMARY_H
#define MPROF_REPORT_SUMMARY_H

#include "profile/trend.h"
#include "profile/runtime.h"

/* All that was requested below one line of the program's own code that is the cause (causes.h), and
 * kept. */
struct summary_row {
	uint32_t site; /* of that line; of no own code: of who requested, or PD_NONE */
	/* Who requests most of it, if the line is not the nearest of own code; else PD_NONE. */
	uint32_t through;
	uint64_t bytes, blocks;
	uint64_t frees; /* of other blocks */
	struct pd_sum reach[PD_REACH_CLASSES];
	struct pd_sum hanging; /* lost through what is lost directly here; usable bytes */
	/* Of what is lost directly: the function of own code that called that line, by a place in
	 * it; PD_NONE: there is none. Of several that of which most bytes are lost. */
	uint32_t caller;
	size_t callers;
	bool hangs; /* most of it is lost, and through others: it goes with these */
	bool own;
	struct trend_verdict verdict;
	char *type; /* of what was requested; NULL: not known */
};

struct summary {
	uint64_t bytes, blocks; /* kept, in all */
	/* What matters most first: what is lost directly, by that and what hangs on it; what grows,
	 * by its rate; what keeps most; last what hangs. */
	struct summary_row *rows;
	size_t n, n_hanging;
	size_t growing; /* of these */
	uint64_t grown; /* blocks of those that grow, but for what is lost: nothing had its place */
	struct pd_sum reach[PD_REACH_CLASSES]; /* of what was counted */
	struct pd_sum runtime[RUNTIME_KINDS]; /* in none of the rows */
};

/* @own_code: as in own_code.h. 0 or -ENOMEM. */
int summary_collect(const struct profile_data *d, const char *const *own_code, struct summary *s);

/* The rows that grow come first, whatever is lost; and nothing is apart that hangs. */
void summary_sort_by_growth(struct summary *s);
void summary_release(struct summary *s);

#endif
