/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_NO_ALLOCATOR_H
#define MPROF_PROBES_NO_ALLOCATOR_H

#include "base/advice.h"
#include "proc/modules.h"
#include "symbols/ownheap.h"

/* Explain why no allocator was found in a program, by what its file tells and which of @files (its
 * own and its libraries') have been deleted or replaced, and what to do. */
void no_allocator_why(const struct ownheap *h, const struct module_files *files, struct advice *a);

#endif
