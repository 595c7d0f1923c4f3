/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_COLUMNS_H
#define MPROF_HTML_COLUMNS_H

#include "html/strings.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* JSON for the page: columns of numbers, which deflate well and are fast to read. The caller checks
 * the stream for errors. */

/* A column: its name, and its value in row @i. */
struct column {
	const char *key;
	int64_t (*get)(const void *of, size_t i);
	bool count; /* values are unsigned: negative ones are 2^63 and more */
};

/* "KEY":[N,...], of @n rows. */
void columns_put(const void *of, const struct column *c, size_t n, FILE *out);

/* A comma and a member that is an object of columns. */
void columns_put_table(const void *of, const char *key, const struct column *columns,
		       size_t n_columns, size_t n, FILE *out);

/* "strings":[...], of any bytes. 0, or -ENOMEM: then it is incomplete. */
int columns_put_strings(const struct strings *s, FILE *out);

#endif
