/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_ADDRESSES_H
#define MPROF_FAST_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

/**
 * What we map counts for the program's RLIMIT_AS (setrlimit(2)), which it may set itself at any
 * time. Can it be lacking addresses now that it would have by itself?
 * @limit  RLIM_INFINITY: none   @used  by the program and by us: 0 if it is not known
 * @ours   by us; all in bytes
 */
bool addresses_are_few(uint64_t limit, uint64_t used, uint64_t ours);

#endif
