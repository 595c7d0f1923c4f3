/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_LINES_H
#define MPROF_TOP_LINES_H

#include "top/rows.h"

#include <jansson.h>
#include <stdio.h>

/* A look as lines of text with escaped names, and as JSON. */

/* Print three lines, and one more if there is advice. @name: of the process. */
void top_print_head(const struct top_head *h, const char *name, FILE *out);

/*
 * Print the line above the rows; the column that they are sorted by is marked by a '*'.
 * @columns  width of the terminal: the name gets at least a part of it, and columns that rows are
 *           not sorted by are dropped, the least important first; then the name is shortened. 0:
 *           unlimited
 */
void top_print_columns(const struct top_how *how, int columns, FILE *out);

/* Print a row. @h: of its look; @columns: as above */
void top_print_row(const struct top_head *h, const struct top_how *how, const struct top_row *r,
		   int columns, FILE *out);

/* A whole look with @max rows (0: all). NULL: out of memory. */
json_t *top_json(const struct top_head *h, const char *name, const struct top_how *how,
		 const struct top_rows *rows, size_t max);

#endif
