/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_LOST_PATHS_H
#define MPROF_REPORT_LOST_PATHS_H

#include "heapwalk/reachable.h"
#include "report/leaks.h"

/* Who has requested a block that is lost directly, as far as a session knows. */
struct lost_request {
	taddr at;
	uint64_t age_ns; /* so long ago */
	uint32_t node;	 /* of the profile; PD_NONE: not known */
	bool before;	 /* it is not known, for the block is from before the session */
};

/* Those of all, in the order of reach.lost. */
struct lost_requests {
	const struct profile_data *d;
	const struct lost_request *v;
};

struct lost_path {
	const struct leak *path;
	struct heap_sum blocks, through; /* usable bytes; what is lost through them */
	uint64_t oldest_ns;
	uint32_t site; /* the nearest of the program's own code; without: who requested */
	bool own;
};

struct lost_paths {
	struct leaks leaks;
	struct lost_path *v; /* most bytes with those through them first */
	size_t n;
};

/* What is lost, by path. 0 or -ENOMEM; lost_paths_release() is to be called either way. */
int lost_paths_collect(const struct lost_requests *q, const struct reach *r,
		       const struct spans *blocks, enum leaks_key key, struct lost_paths *out);

void lost_paths_release(struct lost_paths *p);

#endif
