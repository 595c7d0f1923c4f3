/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_READ_H
#define MPROF_MASSIF_READ_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A massif file as it stands: made by mprof, by Valgrind or by anybody. */

/* A line of a tree; the lines of a tree stand in depth-first order. */
struct massif_line {
	uint64_t children, bytes;
	char *text;		/* with the blank before it */
};

struct massif_record {
	uint64_t number, time, useful, extra, stacks; /* the three sum up to less than 2^64 */
	bool peak;
	size_t first, n;	/* its tree: lines[first...first + n); n 0: it has none */
};

struct massif_file {
	char *desc;		/* what stands behind "desc:", line for line, each with its end */
	char *cmd;
	char *time_unit;	/* "i", "ms" or "B" */
	struct massif_record *records;	/* at least one; no time is above the last one's */
	size_t n_records;
	struct massif_line *lines;
	size_t n_lines;
};

/* No tree of Massif is nearly as deep; one that is would print as the square of it. */
#define MASSIF_MAX_LEVELS 10000

/**
 * Read a massif file. It is untrusted: whatever is in it, the result is whole or an error.
 * @name  of the file, for messages
 * Returns 0, or -errno with a sentence in @e that tells the line: -EINVAL, -ENOMEM.
 * Source: ms_print's read_input_file().
 */
int massif_read(FILE *in, const char *name, struct massif_file **out, struct error *e);

/* The number of the snapshot that is marked as the peak, the last of several; UINT64_MAX: none
 * is. */
uint64_t massif_file_peak(const struct massif_file *f);

void massif_file_free(struct massif_file *f);

#endif
