/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_RESOLVE_TYPES_H
#define MPROF_NAMING_RESOLVE_TYPES_H

#include "profile/profile_data.h"
#include "symbols/symbols.h"

/**
 * Fill in the types of @d, which must have functions, sites, nodes and leaves: those of the program
 * with any requested size or a size above 1024; and for each library, those with sizes that its own
 * functions requested. @old: a profile of the same program whose types are kept; NULL: none.
 * 0 or -ENOMEM.
 */
int resolve_types(struct symbols *s, uint32_t program, const struct profile_data *old,
		  struct profile_data *d);

/* Sort types by size, rank and name, each name once for a size; if the program and a library have
 * it, it counts as the program's. */
void types_drop_repeated(struct profile_data *d);

#endif
