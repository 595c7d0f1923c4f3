/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_LINES_H
#define MPROF_TOP_LINES_H

#include "top/rows.h"

#include <jansson.h>
#include <stdio.h>

/* A look as lines of text, as long as they are, where names are harmless for a terminal, and as
 * JSON. */

/* Three lines, or one more for what is to be done. @name: of the process. */
void top_print_head(const struct top_head *h, const char *name, FILE *out);

/*
 * A line over the rows; the column that they are sorted by has a '*'.
 * @columns  what a line of the terminal has: the name gets a part of it that it can be known by,
 *           and columns that are not sorted by give way, those first that matter least; then it
 *           loses its middle. 0: lines are as long as they are
 */
void top_print_columns(const struct top_how *how, int columns, FILE *out);

/* A line. @h: whose row it is; @columns: the same */
void top_print_row(const struct top_head *h, const struct top_how *how, const struct top_row *r,
		   int columns, FILE *out);

/* All of it, @max rows (0: all). NULL: out of memory. */
json_t *top_json(const struct top_head *h, const char *name, const struct top_how *how,
		 const struct top_rows *rows, size_t max);

#endif
