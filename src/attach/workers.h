/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_WORKERS_H
#define MPROF_ATTACH_WORKERS_H

#include "attach/kernel.h"

#include <stddef.h>
#include <sys/types.h>

/*
 * The kernel's own threads in a process, procstat_is_worker(), as they were listed in one reading
 * of /proc/PID/task. They are not seized: what they do for the program would end with EINTR or
 * worse, and they never stop in the program's code. But they are threads of the process, and it
 * takes their number to know whether any has been missed.
 */
struct workers {
	pid_t *v;
	size_t n, cap;
};

/* Note one that is listed. 0 or -ENOMEM. */
int workers_add(struct workers *w, pid_t tid);

/* How many of them are there still. Asked after the number of threads has been read, that many of
 * these threads are workers that were listed. */
unsigned workers_there(const struct workers *w, const struct kernel *k);

void workers_release(struct workers *w);

#endif
