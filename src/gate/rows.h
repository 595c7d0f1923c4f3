/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_GATE_ROWS_H
#define MPROF_GATE_ROWS_H

#include "gate/figure.h"

/* So many are told of each condition that holds. */
#define GATE_ROWS 10

/* What breaks a condition, by path: its innermost functions, allocation functions left out. */
struct gate_row {
	char *path;	/* "main > load > new_page", "...> parse > new_node" */
	char *function; /* its innermost one; NULL: not known */
	char *file;	/* where it requests; NULL: not known */
	uint32_t line;
	int64_t value;	/* of growth: what has come on this path; less than 0: gone */
	int64_t blocks;
};

struct gate_rows {
	struct gate_row *items; /* most first */
	size_t n, n_all;
};

/**
 * The rows of a condition in a profile; of growth, @base is not NULL. What is suppressed is in
 * none: @suppressed, @suppressed_base: as in gate_value_of(). 0 or -ENOMEM.
 */
int gate_rows_collect(const struct profile_data *d, const uint32_t *suppressed,
		      const struct profile_data *base, const uint32_t *suppressed_base,
		      const struct gate_condition *c, struct gate_rows *rows);
void gate_rows_release(struct gate_rows *rows);

#endif
