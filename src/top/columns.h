/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_COLUMNS_H
#define MPROF_TOP_COLUMNS_H

/* What of a text fits into so many columns of a terminal. */

/**
 * A text made harmless (base/printable.h) and cut to @columns, by what the characters of the
 * locale take: of one that is too long the last column is a '>'. What the locale cannot show
 * becomes '?'.
 * For free(), or NULL: out of memory.
 */
char *top_cut(const char *text, int columns);

/* How many columns a text takes that has been cut so. */
int top_width(const char *text);

#endif
