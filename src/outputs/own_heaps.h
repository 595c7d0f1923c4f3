/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_OWN_HEAPS_H
#define MPROF_OUTPUTS_OWN_HEAPS_H

#include "base/say.h"
#include "proc/modules.h"

/* Say of each file whose objects are in a heap of its own that they are not watched. @pid: of whom
 * the environment is asked; 0: it is as ours. */
void tell_own_heaps(say_fn *say, const struct module_files *files, pid_t pid);

#endif
