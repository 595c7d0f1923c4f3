/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_ROWS_TYPES_H
#define MPROF_HTML_ROWS_TYPES_H

#include "html/strings.h"
#include "report/leaks.h"

#include <stdio.h>

/* Lists of names of types, each list once: many rows have the same. Zeroed at first. */
struct rows_types {
	struct strings strings; /* the names, and what else rows say */
	struct strings lists;	/* numbers of names, as JSON; they are ours */
};

/* Of what is kept on a path: what is known of its call sites, or else the types of its sizes.
 * @list: the number of the list. 0 or -ENOMEM. */
int rows_types_add(struct rows_types *t, const struct profile_data *d, const struct leaks *l,
		   const struct leak *path, uint32_t *list);

/* The member "types", with the comma before it: the lists. */
void rows_types_put(const struct rows_types *t, FILE *out);
void rows_types_release(struct rows_types *t);

#endif
