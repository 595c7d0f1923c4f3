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

/**
 * The same, but what is too long loses its middle, where "..." stands then: what tells names apart
 * is often at their ends. Where there is no room for that it is top_cut().
 */
char *top_shorten(const char *text, int columns);

/**
 * The same, but broken into lines that fit: between words, and within one that is longer than a
 * line. The lines end with '\n' but for the last one. @columns: 1 at least
 * For free(), or NULL: out of memory.
 */
char *top_wrap(const char *text, int columns);

/* How many columns a text takes that has been cut so. */
int top_width(const char *text);

#endif
