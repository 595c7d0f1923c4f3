/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_COLUMNS_H
#define MPROF_TOP_COLUMNS_H

/* Fits text into columns of a terminal. */

/**
 * Escape a text (base/printable.h) and cut it to @columns, by the widths of characters in the
 * locale: if it is cut, the last column is a '>'. What the locale cannot show becomes '?'.
 * For free(), or NULL: out of memory.
 */
char *top_cut(const char *text, int columns);

/**
 * The same, but the middle of a text that is too long is replaced by "...": names often differ at
 * their ends. If there is no room for that it does as top_cut().
 */
char *top_shorten(const char *text, int columns);

/**
 * The same, but broken into lines that fit: between words, and within a word that is longer than a
 * line. Lines are separated by '\n'. @columns: at least 1
 * For free(), or NULL: out of memory.
 */
char *top_wrap(const char *text, int columns);

/* The width of a text from these functions, in columns. */
int top_width(const char *text);

#endif
