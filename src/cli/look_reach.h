/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LOOK_REACH_H
#define MPROF_CLI_LOOK_REACH_H

#include "cli/look.h"
#include "heapwalk/reachable.h"

/* What leads to the blocks of a process that has been looked at. */

/* While it is held, after the copying: what the kernel keeps for it is not in its memory. As
 * look.held. */
int look_reach_held(struct look *l, const struct still_files *f);

/**
 * The live blocks of its heap, which has been walked, and the class of each.
 * @asked   as in reachable.h; what is looked at is set here
 * @blocks  for spans_release(), whatever is returned
 * @reach   for reach_release(), whatever is returned
 * Returns 0 or -errno.
 */
int look_reach(const struct look *l, struct reach_asked asked, struct spans *blocks,
	       struct reach *reach);

#endif
