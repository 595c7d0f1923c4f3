/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_LOST_PATHS_H
#define MPROF_REPORT_LOST_PATHS_H

#include "heapwalk/reachable.h"
#include "report/leaks.h"

/* What requested a block that is lost directly, as far as a session knows. */
struct lost_request {
	taddr at;
	uint64_t age_ns; /* since the request */
	uint32_t node;	 /* of the profile; PD_NONE: not known */
	bool before;	 /* not known, as the block is from before the session */
};

/* Those of all lost blocks, in the order of reach.lost. */
struct lost_requests {
	const struct profile_data *d;
	const struct lost_request *v;
};

struct lost_path {
	const struct leak *path;
	struct heap_sum blocks, through; /* usable bytes; through: lost through these blocks */
	uint64_t oldest_ns;
	uint32_t site; /* the nearest one of own code; without any, the innermost */
	bool own;
};

struct lost_paths {
	struct leaks leaks;
	struct lost_path *v; /* sorted by bytes including those lost through them */
	size_t n;
};

/* Lost blocks by path. 0 or -ENOMEM; lost_paths_release() must be called in any case. */
int lost_paths_collect(const struct lost_requests *q, const struct reach *r,
		       const struct spans *blocks, enum leaks_key key, struct lost_paths *out);

void lost_paths_release(struct lost_paths *p);

#endif
