/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/memory_limit.h"

/*
 * At how many sixteenths of the limit each step is taken. The first ones free memory at once; those
 * that cut chains only slow its growth, and therefore have to come early enough.
 */
static const unsigned char sixteenths[MEMORY_STEPS] = {
	[MEMORY_NO_LIFETIMES] = 8, [MEMORY_NO_TIMELINE] = 8, [MEMORY_CUT_16] = 8,
	[MEMORY_CUT_8] = 10,	   [MEMORY_CUT_4] = 12,	     [MEMORY_CUT_2] = 13,
	[MEMORY_CUT_1] = 14,	   [MEMORY_OVER] = 16,
};

enum memory_step memory_limit_next(uint64_t limit, uint64_t used, enum memory_step step)
{
	if (!limit || step >= MEMORY_OVER)
		return step;
	return used > limit / 16 * sixteenths[step + 1] ? step + 1 : step;
}

const char *memory_limit_words(enum memory_step step)
{
	static const char *const words[MEMORY_STEPS] = {
		[MEMORY_ALL] = "nothing",
		[MEMORY_NO_LIFETIMES] = "lifetimes",
		[MEMORY_NO_TIMELINE] = "lifetimes, timeline",
		[MEMORY_CUT_16] = "lifetimes, timeline, chains beyond 16 frames",
		[MEMORY_CUT_8] = "lifetimes, timeline, chains beyond 8 frames",
		[MEMORY_CUT_4] = "lifetimes, timeline, chains beyond 4 frames",
		[MEMORY_CUT_2] = "lifetimes, timeline, chains beyond 2 frames",
		[MEMORY_CUT_1] = "lifetimes, timeline, chains beyond 1 frame",
		[MEMORY_OVER] = "lifetimes, timeline, chains beyond 1 frame",
	};

	return words[step];
}

struct pd_spared memory_limit_spares(enum memory_step step)
{
	return (struct pd_spared){
		.lifetimes = step >= MEMORY_NO_LIFETIMES,
		.timeline = step >= MEMORY_NO_TIMELINE,
		.depth = step < MEMORY_CUT_16 ? 0 :
			 step < MEMORY_CUT_1  ? 16u >> (step - MEMORY_CUT_16) :
						1,
	};
}
