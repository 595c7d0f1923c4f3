/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_OWN_CODE_H
#define MPROF_PROFILE_OWN_CODE_H

#include "profile/profile_data.h"

#include <stdbool.h>

/**
 * Which sites are in the program's own code? Not in a library of the system, nor in code that
 * comes from a header of the system or from a language's library.
 * @modules  patterns (base/glob.h) for the paths or names of files whose code is own, NULL at the
 *           end; NULL or none: the program, and libraries that are not in system directories
 * Returns an array for free(), one longer than there are sites, or NULL: out of memory.
 */
bool *own_code_sites(const struct profile_data *d, const char *const *modules);

/* ... and whose function does not only pass requests on (xmalloc): where to begin reading when
 * looking for what holds a block. As above. */
bool *own_code_holders(const struct profile_data *d, const char *const *modules);

/**
 * For each node of the tree the nearest node on its chain, beginning with itself, whose site
 * own_code_holders() selects; PD_NONE: there is none.
 * Returns an array for free(), or NULL: out of memory.
 */
uint32_t *own_code_nodes(const struct profile_data *d, const char *const *modules);

#endif
