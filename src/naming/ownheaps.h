/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_OWNHEAPS_H
#define MPROF_NAMING_OWNHEAPS_H

#include "base/say.h"
#include "proc/modules.h"
#include "symbols/ownheap.h"

/**
 * What each file tells of the allocator in it, read in a confined process.
 * @heaps  one for each; of a file that is left out, nothing
 * @say    told of those that are
 * Returns 0 or -ENOMEM.
 */
int ownheaps_read(const struct module_files *files, struct ownheap *heaps, say_fn *say);

#endif
