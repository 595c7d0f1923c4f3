/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_PERCENT_H
#define MPROF_REPORT_PERCENT_H

#include "report/sums.h"

/*
 * Percentages of m in n, m <= n, as text: doc/tables.md, section 2. All are pure functions; the
 * buffers are the caller's and always terminated.
 */
#define PERCENT_BRACKETS 5	/* "(**)" */
#define PERCENT_BREAKDOWN (3 * N_SIZE_CLASSES + 1)
#define PERCENT_DECIMAL 8	/* "100.0" */

/* The integer part of 100 m / n; 0 if n is 0. */
unsigned percent_floor(uint64_t m, uint64_t n);

/* In brackets; empty if there is nothing to print. */
void percent_brackets(char out[PERCENT_BRACKETS], uint64_t m, uint64_t n);

/* Four fields of a blank and two columns, one for each class; all blank if n is 0. */
void percent_breakdown(char out[PERCENT_BREAKDOWN], const uint64_t m[N_SIZE_CLASSES], uint64_t n);

/* With one digit after the point, rounded as printf(3) rounds. */
void percent_decimal(char out[PERCENT_DECIMAL], uint64_t m, uint64_t n);

#endif
