/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_CALLERS_H
#define MPROF_REPORT_CALLERS_H

#include "profile/profile_data.h"

/* The functions of own code that call a line, with the lost bytes for which each is responsible. */
struct caller {
	uint32_t function, site; /* site: a place in it */
	uint64_t bytes;
};

struct callers {
	struct caller *v;
	size_t n, cap;
};

/**
 * Add @bytes to the caller of the line at @node. Without a caller in own code nothing is added.
 * @own  from own_code_nodes()
 * Returns 0 or -ENOMEM.
 */
int callers_add(struct callers *c, const struct profile_data *d, const uint32_t *own, uint32_t node,
		uint64_t bytes);

/* The number of callers, and in *site a place in the one with most bytes; PD_NONE without any.
 * Sorts and joins them. */
size_t callers_find(struct callers *c, uint32_t *site);

void callers_release(struct callers *c);

#endif
