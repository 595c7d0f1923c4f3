/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_READ_H
#define MPROF_MASSIF_READ_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A massif file as it is: written by mprof, Valgrind or anything else. */

/* A line of a tree, in depth-first order. */
struct massif_line {
	uint64_t children, bytes;
	char *text;		/* with the blank in front */
};

struct massif_record {
	uint64_t number, time, useful, extra, stacks; /* the last three add up to less than 2^64 */
	bool peak;
	size_t first, n;	/* its tree: lines[first...first + n); n 0: none */
};

struct massif_file {
	char *desc;		/* the text after "desc:", with the newlines */
	char *cmd;
	char *time_unit;	/* "i", "ms" or "B" */
	struct massif_record *records;	/* at least one; the last one has the greatest time */
	size_t n_records;
	struct massif_line *lines;
	size_t n_lines;
};

/* Massif's own trees are not nearly as deep; printing takes quadratic time in the depth. */
#define MASSIF_MAX_LEVELS 10000

/**
 * Read a massif file. It is untrusted: the result is complete and consistent, or there is an error.
 * @name  of the file, for messages
 * Returns 0, or -errno with a sentence in @e that names the line: -EINVAL, -ENOMEM.
 * Source: ms_print's read_input_file().
 */
int massif_read(FILE *in, const char *name, struct massif_file **out, struct error *e);

/* The index of the snapshot that is marked as the peak, of several the last; UINT64_MAX: none. */
uint64_t massif_file_peak(const struct massif_file *f);

void massif_file_free(struct massif_file *f);

#endif
