/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_OWNHEAPS_H
#define MPROF_NAMING_OWNHEAPS_H

#include "base/say.h"
#include "proc/modules.h"
#include "symbols/ownheap.h"

/**
 * What each file shows of the allocator in it, read in a confined process.
 * @heaps  one for each; of a file that is left out only unread is set
 * @say    told which files are left out
 * Returns 0 or -ENOMEM.
 */
int ownheaps_read(const struct module_files *files, struct ownheap *heaps, say_fn *say);

#endif
