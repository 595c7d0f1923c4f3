/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_PD_MERGE_H
#define MPROF_PROFILE_PD_MERGE_H

#include "profile/profile_data.h"

/*
 * Profiles added up: many runs of a program, or many processes. Chains are the same if they have
 * the same places in the same builds of the same files.
 *
 * What the profiles have at moments of their own is no sum. The peak is the highest of any one,
 * with what was live in that one then. There is no timeline, no load, and there are no windows (and
 * so no verdicts) and no rows of resident memory. What was there before, and what is lost, is told
 * if it is of all of them.
 */
struct pd_merge;

/* NULL: out of memory. */
struct pd_merge *pd_merge_new(void);

/* Add a profile, which stays as it is. 0, -ENOMEM, or -EOVERFLOW: a sum is too large. */
int pd_merge_add(struct pd_merge *m, const struct profile_data *d);

/**
 * The sum of all that were added. Its command is "sum of N profiles", and behind that the programs.
 * Of sums among them it counts and names those that they are of.
 * NULL: out of memory. Either way @m has been freed.
 */
struct profile_data *pd_merge_finish(struct pd_merge *m);

/* Of how many profiles @d is such a sum; 0: it is none. */
size_t pd_merge_count(const struct profile_data *d);

/* Frees it with what was added. NULL is fine. */
void pd_merge_free(struct pd_merge *m);

#endif
