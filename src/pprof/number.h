/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_NUMBER_H
#define MPROF_PPROF_NUMBER_H

#include "pprof/print.h"

/* A number as google-pprof prints it: MB with one decimal, or whole bytes or objects. */
void heap_number(char text[32], const struct heap_view *v, int64_t n);

/* A share of @total, as "12.5%"; if @total is 0, "nan" or an infinity. */
void heap_percent(char text[32], int64_t n, int64_t total);

/* The unit of heap_number(). */
const char *heap_unit(const struct heap_view *v);

#endif
