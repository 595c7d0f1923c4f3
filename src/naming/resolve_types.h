/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_RESOLVE_TYPES_H
#define MPROF_NAMING_RESOLVE_TYPES_H

#include "profile/profile_data.h"
#include "symbols/symbols.h"

/**
 * Fill in the types of @d, whose functions, sites, nodes and leaves are there: the program's own of
 * each size that was asked for and of every size over 1024; then, for each library, those of the
 * sizes that its own functions asked for. @old: a profile of the same whose types stay; NULL: none.
 * 0 or -ENOMEM.
 */
int resolve_types(struct symbols *s, uint32_t program, const struct profile_data *old,
		  struct profile_data *d);

/* Put types in their order, by size, rank and name, each name once for a size; if the program has
 * it too, it is the program's. */
void types_drop_repeated(struct profile_data *d);

#endif
