/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_MEMORY_LIMIT_H
#define MPROF_SESSION_MEMORY_LIMIT_H

#include "profile/profile_data.h"

/*
 * What to stop keeping when the profiles take more memory than the user allows. Plain data: no
 * process, no profile.
 *
 * Requests, frees, and each live block with its call site are counted exactly at every step. So the
 * limit can be exceeded: live blocks and sizes go on taking memory.
 */
enum memory_step {
	MEMORY_ALL,
	MEMORY_NO_LIFETIMES,
	MEMORY_NO_TIMELINE,
	MEMORY_CUT_16, /* call chains are cut to 16 frames; and so on */
	MEMORY_CUT_8,
	MEMORY_CUT_4,
	MEMORY_CUT_2,
	MEMORY_CUT_1,
	MEMORY_OVER, /* nothing is left to give up */
	MEMORY_STEPS,
};

/* Less than this is in use before the first event. */
#define MEMORY_LIMIT_LEAST (UINT64_C(1) << 20)

/* The step to be at with @used of @limit bytes, given the step that was taken last: at most one
 * further, since each may free so much that no other is needed. */
enum memory_step memory_limit_next(uint64_t limit, uint64_t used, enum memory_step step);

/* What is no longer kept at a step. */
struct pd_spared memory_limit_spares(enum memory_step step);

/* The same for a person: "nothing", "lifetimes, timeline, chains beyond 8 frames". */
const char *memory_limit_words(enum memory_step step);

#endif
