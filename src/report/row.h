/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_ROW_H
#define MPROF_REPORT_ROW_H

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
	int err;		/* 0 or the first error, -errno */
};

void row_init(struct row *r, FILE *out);

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
void row_append_number(struct row *r, uint64_t n);

/* Write the line and begin the next one. */
void row_end(struct row *r);

/* Write whole lines as they are; @text ends with a newline. */
void row_lines(struct row *r, const char *text);

#endif
