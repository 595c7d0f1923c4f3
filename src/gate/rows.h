/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_GATE_ROWS_H
#define MPROF_GATE_ROWS_H

#include "gate/figure.h"

/* So many rows are reported for each condition that holds. */
#define GATE_ROWS 10

/* A path that breaks a condition: its innermost functions without allocation functions. */
struct gate_row {
	char *path;	/* "main > load > new_page", "...> parse > new_node" */
	char *function; /* innermost function; NULL: not known */
	char *file;	/* source file of the request; NULL: not known */
	uint32_t line;
	int64_t value;	/* for growth: the change on this path; negative: a decrease */
	int64_t blocks;
};

struct gate_rows {
	struct gate_row *items; /* highest value first */
	size_t n, n_all;
};

/**
 * The rows of a condition in a profile; for growth, @base is not NULL. Suppressed blocks are left
 * out: @suppressed, @suppressed_base: as in gate_value_of(). 0 or -ENOMEM.
 */
int gate_rows_collect(const struct profile_data *d, const uint32_t *suppressed,
		      const struct profile_data *base, const uint32_t *suppressed_base,
		      const struct gate_condition *c, struct gate_rows *rows);
void gate_rows_release(struct gate_rows *rows);

#endif
