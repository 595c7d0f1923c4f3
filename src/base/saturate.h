/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_SATURATE_H
#define MPROF_BASE_SATURATE_H

#include <stdint.h>

/* Sums and products of numbers that files or programs have given, and which may be the largest
 * ones: they do not wrap, but are UINT64_MAX then. */

static inline void saturate_add(uint64_t *sum, uint64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = UINT64_MAX;
}

static inline uint64_t saturate_product(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

#endif
