/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_CALLERS_H
#define MPROF_REPORT_CALLERS_H

#include "profile/profile_data.h"

/* The functions of own code that have called one of its lines, and what each is to blame for. */
struct caller {
	uint32_t function, site; /* site: a place in it */
	uint64_t bytes;
};

struct callers {
	struct caller *v;
	size_t n, cap;
};

/**
 * @bytes more of whoever called the line at @node. If none of own code did, nothing is added.
 * @own  from own_code_nodes()
 * Returns 0 or -ENOMEM.
 */
int callers_add(struct callers *c, const struct profile_data *d, const uint32_t *own, uint32_t node,
		uint64_t bytes);

/* How many there are, and a place in that with most bytes; there is none: PD_NONE. Sorts them. */
size_t callers_find(struct callers *c, uint32_t *site);

void callers_release(struct callers *c);

#endif
