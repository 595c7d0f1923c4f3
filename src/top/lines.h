/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_LINES_H
#define MPROF_TOP_LINES_H

#include "top/rows.h"

#include <jansson.h>
#include <stdio.h>

/* A look as lines of text, as long as they are, where names are harmless for a terminal, and as
 * JSON. */

enum { TOP_HEAD_LINES = 3 };

/* TOP_HEAD_LINES lines. @name: of the process. */
void top_print_head(const struct top_head *h, const char *name, FILE *out);

/* A line over the rows; the column that they are sorted by has a '*'. */
void top_print_columns(const struct top_how *how, FILE *out);

/* A line. @h: whose row it is. */
void top_print_row(const struct top_head *h, const struct top_how *how, const struct top_row *r,
		   FILE *out);

/* All of it, @max rows (0: all). NULL: out of memory. */
json_t *top_json(const struct top_head *h, const char *name, const struct top_how *how,
		 const struct top_rows *rows, size_t max);

#endif
