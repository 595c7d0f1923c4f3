/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_OWN_HEAPS_H
#define MPROF_CLI_OWN_HEAPS_H

#include "attach/modules.h"

/* Why no allocator was found in the program whose file is open as @fd, and what to do. */
const char *no_allocator_why(int fd);

/* Say of each file whose objects are in a heap of its own that they are not watched. */
void say_own_heaps(const struct module_files *files);

#endif
