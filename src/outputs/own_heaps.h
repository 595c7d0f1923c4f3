/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_OWN_HEAPS_H
#define MPROF_OUTPUTS_OWN_HEAPS_H

#include "base/advice.h"
#include "base/say.h"
#include "naming/ownheaps.h"
#include "proc/modules.h"

/* True if the environment of a process disables python's own allocator. @pid 0: this process. False
 * if it cannot be read. */
bool own_heaps_python_is_off(pid_t pid);

/* Report each file with a heap of its own whose objects are not observed. @heaps: one for each
 * file, see ownheaps_read(). */
void own_heaps_each(const struct module_files *files, const struct ownheap *heaps,
		    bool python_is_off,
		    void (*each)(void *ctx, const struct advice *a), void *ctx);

/* The same as sentences; reads the files. */
void tell_own_heaps(say_fn *say, const struct module_files *files, bool python_is_off);

#endif
