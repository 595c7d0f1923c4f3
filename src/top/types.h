/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_TYPES_H
#define MPROF_TOP_TYPES_H

#include "top/rows.h"

/* Types that a row may name before it says how many more there are. */
enum { TOP_TYPES = 3 };

/**
 * Rows of sizes are called after what is requested in them: the types at the sites that request
 * that size, or if there are none all types of it. 0 or -ENOMEM.
 */
int top_add_types(const struct profile_data *d, struct top_rows *rows);

#endif
