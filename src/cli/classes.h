/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_CLASSES_H
#define MPROF_CLI_CLASSES_H

#include "heapwalk/walk.h"
#include "report/heap.h"

/**
 * The dynamic classes of the blocks that a walk has found, named.
 * @mem  the process's memory, which may run again; -1: there is none
 * Returns 0 or -ENOMEM. classes_release() is to be called either way.
 */
int classes_of(struct heap_class_rows *rows, const struct heap_walk *w, const struct still *s,
	       pid_t pid, int mem);
void classes_release(struct heap_class_rows *rows);

#endif
