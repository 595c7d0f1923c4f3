/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_NO_ALLOCATOR_H
#define MPROF_PROBES_NO_ALLOCATOR_H

#include "base/advice.h"

/* Why no allocator was found in the program whose file is open as @fd, and what to do. */
void no_allocator_why(int fd, struct advice *a);

#endif
