/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_RANGES_H
#define MPROF_FAST_RANGES_H

#include "agent/layout.h"
#include "proc/maps.h"
#include "proc/status.h"

#include <stddef.h>

/* The readable and writable ranges of a program's memory, where stacks may be: for the agent. */
struct ranges {
	struct agent_range *v;	/* sorted */
	size_t n, cap;
	taddr end;		/* of the last mapping */
	uint64_t stack_limit;	/* how far the first thread's stack may grow, in bytes */
	bool apart;		/* each mapping is a range of its own; otherwise neighbours are
				   merged */
};

/* Add a mapping, in the order of addresses. 0 or -ENOMEM. */
int ranges_add(struct ranges *r, const struct proc_map *m);

/* Would a fault that we hide from the program leave traces? The kernel resets the disposition of a
 * fault's signal if that is blocked or ignored. */
bool ranges_faults_show(const struct proc_status *s);

#endif
