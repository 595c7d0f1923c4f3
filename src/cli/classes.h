/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_CLASSES_H
#define MPROF_CLI_CLASSES_H

#include "heapwalk/walk.h"
#include "report/heap.h"

/**
 * Name the dynamic classes of the blocks that a walk has found.
 * @mem  the process's memory, which may be running again; -1: none
 * Returns 0 or -ENOMEM. classes_release() must be called in any case.
 */
int classes_of(struct heap_class_rows *rows, const struct heap_walk *w, const struct still *s,
	       pid_t pid, int mem);
void classes_release(struct heap_class_rows *rows);

#endif
