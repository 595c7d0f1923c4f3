/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_ROW_H
#define MPROF_REPORT_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * One line of a table, put together from the left to the right by columns (counted from 1) and
 * then written, as doc/tables.md, section 3, says: what is too wide for its columns is printed in
 * full and pushes the rest of its line to the right, numbers never touch what stands before them,
 * and no line ends in blanks.
 *
 * Errors stick: after the first one (out of memory, or the line could not be written) nothing is
 * done any more, and row_release() returns it. So the printers need not look after every call.
 */
struct row {
	FILE *out;
	char *text;
	size_t len, cap;	/* bytes */
	size_t width;		/* columns in use; a UTF-8 character is one */
	size_t shift;		/* columns by which the rest of the line was pushed */
	size_t columns;		/* of the terminal, by which names are cut; 0: they are whole */
	size_t widest;		/* columns of a name; 0: what is left of the line */
	bool colour;		/* of a terminal that shows them */
	int err;		/* 0 or the first error, -errno */
};

void row_init(struct row *r, FILE *out);

/* Names narrower than this are never cut, however little room there is. */
#define ROW_NAME_LEAST 24

/* Flush what was written and free the buffer. Returns 0 or the first error as -errno. */
int row_release(struct row *r);

/* Right-aligned in the columns @first to @last, at least one blank after what stands before. */
void row_number(struct row *r, size_t first, size_t last, uint64_t n);
void row_right(struct row *r, size_t first, size_t last, const char *text);

/* Left-aligned in the columns @first to @last. */
void row_left(struct row *r, size_t first, size_t last, const char *text);

/* The same for a name from outside, made harmless for a terminal. */
void row_left_name(struct row *r, size_t first, size_t last, const char *name);

/* Directly after what stands there, in a place that ends with column @last. */
void row_attach(struct row *r, size_t last, const char *text);

/* Go on at column @first, at least one blank after what stands before. */
void row_move(struct row *r, size_t first);

/* Directly after what stands there, and for the rest of the line: it pushes nothing. @text is
 * ASCII. */
void row_append(struct row *r, const char *text);
void row_append_name(struct row *r, const char *name);
void row_append_whole_name(struct row *r, const char *name); /* it is never cut */
void row_append_number(struct row *r, uint64_t n);

/* The widest that names may be from here on, until the line ends, so that all @n of them fit into
 * it, with @between columns besides them. Without a terminal nothing is cut. */
void row_share(struct row *r, const char *const *names, size_t n, size_t between);

/* The same of one name, with @behind columns behind it. */
void row_spare(struct row *r, size_t behind);

/* Columns of a name, made harmless for a terminal. */
size_t row_name_columns(const char *name);

/* Would a name be cut that were put there now? */
bool row_is_too_wide(const struct row *r, const char *name);

/* row_append() in a colour, if the terminal shows any (ECMA-48, 8.3.117). */
enum row_colour { ROW_BOLD, ROW_RED, ROW_YELLOW };
void row_coloured(struct row *r, enum row_colour colour, const char *text);

/* Write the line and begin the next one. */
void row_end(struct row *r);

/* The title of a table, and an empty line below it. */
void row_title(struct row *r, const char *text);

/* Write whole lines as they are; @text ends with a newline. */
void row_lines(struct row *r, const char *text);

#endif
