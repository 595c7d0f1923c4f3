/* SPDX-License-Identifier: BSD-2-Clause */
#include "pprof/stacktable.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct stack_key {
	const uint64_t *elements;
	size_t n;
};

static bool stack_eq(const void *owner, uint32_t id, const void *key)
{
	const struct stack_table *t = owner;
	const struct stack_key *k = key;
	const struct stack *s = &t->stacks[id];

	return s->n == k->n &&
	       (!k->n || !memcmp(t->elements + s->first, k->elements, k->n * sizeof *k->elements));
}

static uint64_t hash_of(const uint64_t *elements, size_t n)
{
	uint64_t h = n;

	for (size_t i = 0; i < n; i++)
		h = hash_mix(h + elements[i]);
	return h;
}

static uint64_t stack_rehash(const void *owner, uint32_t id)
{
	const struct stack_table *t = owner;

	return hash_of(t->elements + t->stacks[id].first, t->stacks[id].n);
}

void stack_table_release(struct stack_table *t)
{
	free(t->stacks);
	free(t->elements);
	idindex_release(&t->index);
	*t = (struct stack_table){ 0 };
}

static int add_stack(struct stack_table *t, const uint64_t *elements, size_t n, uint64_t hash)
{
	struct stack s = { .first = t->n_elements, .n = n };

	if (t->n >= IDINDEX_NONE - 1 || ARRAY_RESERVE(&t->stacks, &t->cap, t->n))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (ARRAY_RESERVE(&t->elements, &t->cap_elements, t->n_elements)) {
			t->n_elements = s.first;
			return -ENOMEM;
		}
		t->elements[t->n_elements++] = elements[i];
	}
	t->stacks[t->n] = s;
	if (idindex_add(&t->index, (uint32_t)t->n, hash, stack_rehash, t))
		return -ENOMEM;
	t->n++;
	return 0;
}

/* A new one if need be. NULL: out of memory. */
static struct stack *stack_of(struct stack_table *t, const uint64_t *elements, size_t n)
{
	struct stack_key key = { elements, n };
	uint64_t hash = hash_of(elements, n);
	uint32_t id = idindex_find(&t->index, hash, stack_eq, t, &key);

	if (id != IDINDEX_NONE)
		return &t->stacks[id];
	return add_stack(t, elements, n, hash) ? NULL : &t->stacks[t->n - 1];
}

int stack_table_add(struct stack_table *t, const uint64_t *elements, size_t n,
		    const int64_t value[HEAP_VALUES])
{
	struct stack *s = stack_of(t, elements, n);
	int64_t sum[HEAP_VALUES];

	if (!s)
		return -ENOMEM;
	for (int i = 0; i < HEAP_VALUES; i++)
		if (__builtin_add_overflow(s->value[i], value[i], &sum[i]))
			return -EOVERFLOW;
	memcpy(s->value, sum, sizeof sum);
	return 0;
}

int stack_table_count(struct stack_table *t, const uint64_t *elements, size_t n,
		      const uint64_t value[HEAP_VALUES])
{
	struct stack *s = stack_of(t, elements, n);

	if (!s)
		return -ENOMEM;
	for (int i = 0; i < HEAP_VALUES; i++)
		s->value[i] = stack_sum(s->value[i], value[i] > INT64_MAX ? INT64_MAX
									 : (int64_t)value[i]);
	return 0;
}

static int in_order(const void *left, const void *right, void *by)
{
	const struct stack *a = left, *b = right;
	int64_t va = a->value[*(enum heap_value *)by], vb = b->value[*(enum heap_value *)by];

	if (va != vb)
		return va > vb ? -1 : 1;
	/* By position of the elements, which is the order of adding. Only one stack is empty. */
	return (a->first > b->first) - (a->first < b->first);
}

void stack_table_sort(struct stack_table *t, enum heap_value by)
{
	idindex_release(&t->index);
	if (t->n)
		qsort_r(t->stacks, t->n, sizeof *t->stacks, in_order, &by);
}
