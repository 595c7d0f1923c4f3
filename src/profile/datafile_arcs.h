/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_DATAFILE_ARCS_H
#define MPROF_PROFILE_DATAFILE_ARCS_H

#include "profile/profile_data.h"

/* A caller and callee that are neighbours in chains, and the requests that passed through them. A
 * request counts as often as its chain has that step. */
struct datafile_arc {
	uint32_t caller, callee;	/* indices into functions[] */
	uint64_t calls;			/* requests */
	uint64_t bytes[4];		/* by size class: s, m, l, x */
};

/**
 * All arcs of a profile that passed datafile_check(), sorted by caller, then callee.
 * @arcs  the caller's, to be freed with free(); NULL after a failure
 * Returns 0 or -ENOMEM.
 */
int datafile_arcs(const struct profile_data *d, struct datafile_arc **arcs, size_t *n);

#endif
