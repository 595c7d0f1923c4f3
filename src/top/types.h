/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_TYPES_H
#define MPROF_TOP_TYPES_H

#include "top/rows.h"

/* The most types named in a row; the others are counted. */
enum { TOP_TYPES = 3 };

/**
 * Name rows of sizes by their types: those at the sites that request that size, or if there are
 * none all types of it. 0 or -ENOMEM.
 */
int top_add_types(const struct profile_data *d, struct top_rows *rows);

#endif
