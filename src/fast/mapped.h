/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_MAPPED_H
#define MPROF_FAST_MAPPED_H

#include "fast/room.h"

#include <stddef.h>
#include <stdint.h>

/* What a program has mapped, to find room between it: see room.h. */

struct engine;

struct mapped {
	struct room_range *v; /* the caller's to free(); sorted, without overlaps */
	size_t n, cap;
	uint64_t stack_limit; /* in bytes; 0: none is known */
};

/** Read what @e's program has mapped now. 0, or -errno: nothing has to be freed. */
int mapped_read(const struct engine *e, struct mapped *out);

#endif
