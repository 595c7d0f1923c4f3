/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_ROWS_TYPES_H
#define MPROF_HTML_ROWS_TYPES_H

#include "html/strings.h"
#include "report/leaks.h"

#include <stdio.h>

/* Lists of type names, each list once, since many rows have the same. Zeroed at first. */
struct rows_types {
	struct strings strings; /* the names, and other strings of rows */
	struct strings lists;	/* JSON lists of numbers of names; owned */
};

/* Add the list of types of the blocks kept on a path: those known of its call sites, or else those
 * of its sizes. @list: set to the number of the list. 0 or -ENOMEM. */
int rows_types_add(struct rows_types *t, const struct profile_data *d, const struct leaks *l,
		   const struct leak *path, uint32_t *list);

/* Write the lists as a comma and the member "types". */
void rows_types_put(const struct rows_types *t, FILE *out);
void rows_types_release(struct rows_types *t);

#endif
