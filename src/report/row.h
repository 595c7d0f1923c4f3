/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_ROW_H
#define MPROF_REPORT_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * One line of a table, put together from left to right by columns (counted from 1) and then
 * written, as described in doc/tables.md, section 3: what is too wide for its columns is printed in
 * full and pushes the rest of its line to the right, numbers never touch what stands before them,
 * and no line ends in blanks.
 *
 * Errors stick: after the first one (out of memory, or the line could not be written) nothing more
 * is written, and row_release() returns it. So callers need not check every call.
 */
struct row {
	FILE *out;
	char *text;
	size_t len, cap;	/* bytes */
	size_t width;		/* columns in use; a UTF-8 character is one */
	size_t shift;		/* columns by which the rest of the line was pushed */
	size_t columns;		/* of the terminal: longer names are cut; 0: names are not cut */
	size_t widest;		/* columns that a name may take; 0: what is left of the line */
	bool colour;		/* the terminal shows colours */
	int err;		/* 0 or the first error, -errno */
};

/* An empty line, to be written to @out; for row_release(). */
void row_init(struct row *r, FILE *out);

/* Names narrower than this are never cut, however little room there is. */
#define ROW_NAME_LEAST 24

/* Flush and free the buffer. Returns 0 or the first error as -errno. */
int row_release(struct row *r);

/* Right-aligned in the columns @first to @last, at least one blank after what stands before. */
void row_number(struct row *r, size_t first, size_t last, uint64_t n);
void row_right(struct row *r, size_t first, size_t last, const char *text);

/* Left-aligned in the columns @first to @last. */
void row_left(struct row *r, size_t first, size_t last, const char *text);

/* The same for an untrusted name, made harmless for a terminal. */
void row_left_name(struct row *r, size_t first, size_t last, const char *name);

/* Directly after what stands there, in columns that end with @last. */
void row_attach(struct row *r, size_t last, const char *text);

/* Go on at column @first, at least one blank after what stands before. */
void row_move(struct row *r, size_t first);

/* Directly after what stands there, for the rest of the line: nothing is shifted. @text is
 * ASCII. */
void row_append(struct row *r, const char *text);
void row_append_name(struct row *r, const char *name);
void row_append_whole_name(struct row *r, const char *name); /* never cut */
void row_append_number(struct row *r, uint64_t n);

/* Limits the width of names until the end of the line, so that all @n of them and @between other
 * columns fit on it. Without a terminal nothing is cut. */
void row_share(struct row *r, const char *const *names, size_t n, size_t between);

/* The same for one name that is followed by @behind columns. */
void row_spare(struct row *r, size_t behind);

/* The columns that a name takes once it is made harmless for a terminal. */
size_t row_name_columns(const char *name);

/* Would the name be cut if it were put here? */
bool row_is_too_wide(const struct row *r, const char *name);

/* row_append() in a colour, if the terminal shows any (ECMA-48, 8.3.117). */
enum row_colour { ROW_BOLD, ROW_RED, ROW_YELLOW };
void row_coloured(struct row *r, enum row_colour colour, const char *text);

/* Write the line and begin the next one. */
void row_end(struct row *r);

/* The title of a table, followed by an empty line. */
void row_title(struct row *r, const char *text);

/* Write whole lines as they are; @text ends with a newline. */
void row_lines(struct row *r, const char *text);

#endif
