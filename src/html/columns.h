/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_COLUMNS_H
#define MPROF_HTML_COLUMNS_H

#include "html/strings.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* JSON as the page wants it: columns of numbers, which deflate well and are quick to read. What
 * cannot be written shows in the stream, ferror(3). */

/* A column: its name, and what stands in its row @i. */
struct column {
	const char *key;
	int64_t (*get)(const void *of, size_t i);
	bool count; /* nothing in it is less than 0: what looks so is 2^63 and more */
};

/* "KEY":[N,...], of @n rows. */
void columns_put(const void *of, const struct column *c, size_t n, FILE *out);

/* A member that is an object of columns, with the comma before it. */
void columns_put_table(const void *of, const char *key, const struct column *columns,
		       size_t n_columns, size_t n, FILE *out);

/* "strings":[...], which may be any bytes. 0, or -ENOMEM: then not all of them. */
int columns_put_strings(const struct strings *s, FILE *out);

#endif
