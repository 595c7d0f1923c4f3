/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_OWN_HEAPS_H
#define MPROF_OUTPUTS_OWN_HEAPS_H

#include "base/advice.h"
#include "base/say.h"
#include "proc/modules.h"

/* Tell of each file whose objects are in a heap of its own that they are not watched. @pid: of whom
 * the environment is asked; 0: it is as ours. */
void own_heaps_each(const struct module_files *files, pid_t pid,
		    void (*each)(void *ctx, const struct advice *a), void *ctx);

/* The same, as sentences. */
void tell_own_heaps(say_fn *say, const struct module_files *files, pid_t pid);

#endif
