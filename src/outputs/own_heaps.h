/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_OWN_HEAPS_H
#define MPROF_OUTPUTS_OWN_HEAPS_H

#include "base/advice.h"
#include "base/say.h"
#include "naming/ownheaps.h"
#include "proc/modules.h"

/* Has a process the variable in its environment by which python has no allocator of its own?
 * @pid 0: is it in ours? Of who has gone nobody knows: false. */
bool own_heaps_python_is_off(pid_t pid);

/* Tell of each file whose objects are in a heap of its own that they are not watched. @heaps: of
 * each, see ownheaps_read(). */
void own_heaps_each(const struct module_files *files, const struct ownheap *heaps,
		    bool python_is_off,
		    void (*each)(void *ctx, const struct advice *a), void *ctx);

/* The same, as sentences; the files are read for it. */
void tell_own_heaps(say_fn *say, const struct module_files *files, bool python_is_off);

#endif
