/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_TREE_H
#define MPROF_HTML_TREE_H

#include "profile/profile_data.h"

#include <stdio.h>

/* The call tree of a profile for the graphs of the page. Parts where nothing was requested are left
 * out. */
struct tree;

/* Make the tree; takes time and memory in proportion to the profile, which must outlive it.
 * @own_code: as in own_code.h. 0, to be freed, or -ENOMEM. */
int tree_new(const struct profile_data *d, const char *const *own_code, struct tree **t);

/* Write functions with their numbers in a difference.
 * @same  by function of the profile, as growth.of_now and of_base; must outlive the tree */
void tree_number(struct tree *t, const uint64_t *same);

/* Write it as one JSON object, schema mprof.tree.v1 (doc/page.md). 0, -ENOMEM, or -errno of writing
 * @out. */
int tree_json(const struct tree *t, FILE *out);

void tree_free(struct tree *t);

#endif
