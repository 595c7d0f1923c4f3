/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_OWN_CODE_H
#define MPROF_PROFILE_OWN_CODE_H

#include "profile/profile_data.h"

#include <stdbool.h>

/**
 * Which sites are places in the program's own code? Not in a library of the system, nor in what a
 * header of the system or the library of a language brings along.
 * @modules  patterns (base/glob.h) for the paths or names of files whose code it is, NULL at the
 *           end; NULL or none: the program, and libraries that are not in the system's folders
 * Returns an array for free(), one longer than there are sites, or NULL: out of memory.
 */
bool *own_code_sites(const struct profile_data *d, const char *const *modules);

/* ... and those of them whose function does not only pass requests on (xmalloc): where somebody who
 * looks for who holds something begins to read. As above. */
bool *own_code_holders(const struct profile_data *d, const char *const *modules);

/**
 * For each node of the tree, the nearest node on its chain, itself included, that is one of those.
 * PD_NONE: there is none. Returns an array for free(), or NULL: out of memory.
 */
uint32_t *own_code_nodes(const struct profile_data *d, const char *const *modules);

#endif
