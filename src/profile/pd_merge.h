/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_PD_MERGE_H
#define MPROF_PROFILE_PD_MERGE_H

#include "profile/profile_data.h"

/*
 * Profiles added up: many runs of a program, or many processes. Chains are the same if they have
 * the same places in the same builds of the same files.
 *
 * Values at moments cannot be added up, as each profile has moments of its own. The peak is the
 * highest of any profile, with what was live in that one. There is no timeline, no load, no windows
 * (and so no verdicts) and no rows of resident memory. Blocks from before and lost blocks are kept
 * only if every profile has them.
 */
struct pd_merge;

/* NULL: out of memory. */
struct pd_merge *pd_merge_new(void);

/* Add a profile, which stays as it is. 0, -ENOMEM, or -EOVERFLOW: a sum is too large. */
int pd_merge_add(struct pd_merge *m, const struct profile_data *d);

/**
 * The sum of all that were added. Its command is "sum of N profiles", followed by the programs.
 * A sum that was added counts as the profiles that it is made of.
 * NULL: out of memory. Either way @m has been freed.
 */
struct profile_data *pd_merge_finish(struct pd_merge *m);

/* How many profiles @d is the sum of; 0: it is no sum. */
size_t pd_merge_count(const struct profile_data *d);

/* Frees it with what was added. NULL is fine. */
void pd_merge_free(struct pd_merge *m);

#endif
