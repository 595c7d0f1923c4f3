/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_GROWTH_INTERNAL_H
#define MPROF_REPORT_GROWTH_INTERNAL_H

#include "report/growth.h"

/* A sum of changes, of increases and decreases alike. */
struct growth_change {
	unsigned __int128 bytes, kept;
};

struct growth_printer {
	const struct growth *g;
	const struct profile_data *now, *base;
	const struct report_options *o;
	FILE *out;
	struct growth_change has, had; /* all that the profile has now, and that the base had */
};

/* A site as paths print it: with what tells it apart. */
void growth_print_site(const struct growth_printer *p, uint64_t number);

/* What matters most: the totals, and the functions of the program's own code that have more and
 * that have less. 0 or -ENOMEM. */
int growth_print_answer(const struct growth_printer *p);

#endif
