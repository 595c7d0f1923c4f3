/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_SEARCH_H
#define MPROF_BASE_SEARCH_H

#include <stddef.h>

/**
 * Binary search: the first of the numbers 0 to n - 1 for which a condition holds; n: for none.
 * @n   evaluated once   @i  the name that the number has in the condition
 * @is  the condition; where it holds for a number it must hold for all that follow
 *
 *	size_t behind = SEARCH_FIRST(t->n, i, t->v[i].start > at);
 */
#define SEARCH_FIRST(n, i, is)                                               \
	({                                                                   \
		size_t search_low = 0, search_high = (n);                    \
		while (search_low < search_high) {                           \
			size_t i = search_low + (search_high - search_low) / 2; \
			if (is)                                              \
				search_high = i;                             \
			else                                                 \
				search_low = (i) + 1;                        \
		}                                                            \
		search_low;                                                  \
	})

#endif
