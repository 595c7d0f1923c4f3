/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_RANGES_H
#define MPROF_FAST_RANGES_H

#include "agent/layout.h"
#include "proc/maps.h"
#include "proc/status.h"

#include <stddef.h>

/* Where a program's memory can be read and written: where a stack may be, for the agent. */
struct ranges {
	struct agent_range *v;	/* sorted */
	size_t n, cap;
	taddr end;		/* of the mapping before */
	uint64_t stack_limit;	/* so far the first thread's stack may grow */
	bool apart;		/* each mapping is a range of its own; else neighbours are one */
};

/* A mapping, in their order. 0 or -ENOMEM. */
int ranges_add(struct ranges *r, const struct proc_map *m);

/* Would a fault that the program never hears of leave traces? The kernel resets what is done about
 * a signal if a fault makes it and it is blocked or ignored. */
bool ranges_faults_show(const struct proc_status *s);

#endif
