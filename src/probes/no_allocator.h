/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_NO_ALLOCATOR_H
#define MPROF_PROBES_NO_ALLOCATOR_H

#include "base/advice.h"
#include "symbols/ownheap.h"

/* Why no allocator was found in a program, by what its file tells, and what to do. */
void no_allocator_why(const struct ownheap *h, struct advice *a);

#endif
