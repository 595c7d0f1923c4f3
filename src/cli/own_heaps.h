/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_OWN_HEAPS_H
#define MPROF_CLI_OWN_HEAPS_H

#include "proc/modules.h"

/* Say of each file whose objects are in a heap of its own that they are not watched. */
void say_own_heaps(const struct module_files *files);

#endif
