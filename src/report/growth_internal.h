/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_GROWTH_INTERNAL_H
#define MPROF_REPORT_GROWTH_INTERNAL_H

#include "report/growth.h"

/* By how much something has changed, whatever has grown and what has become less. */
struct growth_change {
	unsigned __int128 bytes, kept;
};

struct growth_printer {
	const struct growth *g;
	const struct profile_data *now, *base;
	const struct report_options *o;
	FILE *out;
	struct growth_change has, had; /* what there is in either, now and in the base */
};

/* A site as paths have it: with what tells it apart. */
void growth_print_site(const struct growth_printer *p, uint64_t number);

/* What matters first: of the whole, and which functions of the program's own code it is that have
 * grown and that have become less. 0 or -ENOMEM. */
int growth_print_answer(const struct growth_printer *p);

#endif
