/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_REPLAY_H
#define MPROF_MMA_REPLAY_H

#include "mma/log.h"
#include "profile/profile.h"

/**
 * Feed a log to a profile, which must be new, as if it were happening now. A log has no call
 * chains; all requests get the empty one. Returns 0 or -ENOMEM.
 */
int mma_replay(const struct mma_log *l, struct profile *p);

#endif
