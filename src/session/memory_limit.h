/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_MEMORY_LIMIT_H
#define MPROF_SESSION_MEMORY_LIMIT_H

#include "profile/profile_data.h"

/*
 * When profiles take more memory than somebody wants to give them: how much it is in, what is kept
 * no longer out. No process, no profile.
 *
 * What is counted is exact at every step: requests, frees, and each live block by its place. So
 * there is no limit that cannot be passed, for live blocks and sizes go on to take memory.
 */
enum memory_step {
	MEMORY_ALL,
	MEMORY_NO_LIFETIMES,
	MEMORY_NO_TIMELINE,
	MEMORY_CUT_16, /* chains, to so many frames, and so on */
	MEMORY_CUT_8,
	MEMORY_CUT_4,
	MEMORY_CUT_2,
	MEMORY_CUT_1,
	MEMORY_OVER, /* nothing is left to do without */
	MEMORY_STEPS,
};

/* Less than that is used before there is any event. */
#define MEMORY_LIMIT_LEAST (UINT64_C(1) << 20)

/* The step to be at, of which one at a time is taken: each may give back so much that no other is
 * needed. @step: the one that was taken last. */
enum memory_step memory_limit_next(uint64_t limit, uint64_t used, enum memory_step step);

/* What is not kept at a step. */
struct pd_spared memory_limit_spares(enum memory_step step);

/* The same, for a person: "nothing", "lifetimes, timeline, chains beyond 8 frames". */
const char *memory_limit_words(enum memory_step step);

#endif
