/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_STACKTABLE_H
#define MPROF_PPROF_STACKTABLE_H

#include "base/idindex.h"

/* The four numbers of a heap profile, in profile.proto's order. */
enum heap_value { ALLOC_OBJECTS, ALLOC_SPACE, INUSE_OBJECTS, INUSE_SPACE, HEAP_VALUES };

/*
 * Stacks, innermost element first, each once, with their numbers. The owner decides what an element
 * is: an address, or the number of a location. Numbers are negative if a profile was subtracted.
 */
struct stack {
	size_t first, n;	/* its elements in struct stack_table */
	int64_t value[HEAP_VALUES];
};

struct stack_table {
	struct stack *stacks;	/* in the order of adding, until they are sorted */
	size_t n, cap;
	uint64_t *elements;
	size_t n_elements, cap_elements;
	struct idindex index;
};

/* The sum of two numbers, saturated: hostile files have the largest numbers. */
static inline int64_t stack_sum(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

void stack_table_release(struct stack_table *t);

/* Add numbers to a stack. 0, -ENOMEM, or -EOVERFLOW: a sum is too large. On error nothing is
 * added. */
int stack_table_add(struct stack_table *t, const uint64_t *elements, size_t n,
		    const int64_t value[HEAP_VALUES]);

/* As stack_table_add(), for numbers and sums that may be more than a stack holds: they are
 * saturated. 0 or -ENOMEM. */
int stack_table_count(struct stack_table *t, const uint64_t *elements, size_t n,
		      const uint64_t value[HEAP_VALUES]);

/* Sort by one of the numbers, the largest first; equal ones stay in their order. Nothing may be
 * added afterwards. */
void stack_table_sort(struct stack_table *t, enum heap_value by);

#endif
