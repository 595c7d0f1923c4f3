/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LOOK_REACH_H
#define MPROF_CLI_LOOK_REACH_H

#include "cli/look.h"
#include "heapwalk/reachable.h"

/* Finds what leads to the blocks of a process that has been looked at. */

/* For look.held: read what is not in the process's memory but kept by the kernel. */
int look_reach_held(struct look *l, const struct still_files *f);

/**
 * Classify the live blocks of a heap that has been walked.
 * @asked   as in reachable.h; the fields about the look are set here
 * @blocks  release with spans_release() in any case
 * @reach   release with reach_release() in any case
 * Returns 0 or -errno.
 */
int look_reach(const struct look *l, struct reach_asked asked, struct spans *blocks,
	       struct reach *reach);

#endif
