/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_REAP_H
#define MPROF_BASE_REAP_H

#include <errno.h>
#include <sys/wait.h>

/* Wait for the end of our child @pid, however often a signal interrupts that: waitpid(2). *wstatus
 * is unchanged if it cannot be waited for, and may be NULL. */
static inline void reap(pid_t pid, int *wstatus)
{
	while (waitpid(pid, wstatus, 0) < 0 && errno == EINTR)
		;
}

#endif
