/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_TREE_H
#define MPROF_HTML_TREE_H

#include "profile/profile_data.h"

#include <stdio.h>

/**
 * The call tree of a profile as one JSON object, schema mprof.tree.v1 (doc/page.md): what the
 * page draws its graphs of. Parts of the tree where nothing was requested are left out.
 * Takes a time and memory in proportion to the profile.
 * Returns 0, -ENOMEM, or -errno when @out could not be written.
 */
int tree_json(const struct profile_data *d, FILE *out);

/* The same with what its functions are numbered in a difference.
 * @same  by function of the profile: as growth.of_now and of_base */
int tree_json_numbered(const struct profile_data *d, const uint64_t *same, FILE *out);

#endif
