/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/live.h"

#include "base/idindex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void live_release(struct live_table *t)
{
	free(t->slots);
	*t = (struct live_table){ 0 };
}

static size_t home(const struct live_table *t, taddr ptr)
{
	return hash_mix(ptr) & t->mask;
}

/* The slot that has @ptr, or the empty one where it belongs. */
static struct live_slot *seek(const struct live_table *t, taddr ptr)
{
	size_t i = home(t, ptr);

	while (t->slots[i].ptr && t->slots[i].ptr != ptr)
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

static int grow(struct live_table *t)
{
	size_t n = t->slots ? (t->mask + 1) * 2 : 1024;
	struct live_table bigger = { calloc(n, sizeof *t->slots), n - 1, t->n };

	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; t->slots && i <= t->mask; i++)
		if (t->slots[i].ptr)
			*seek(&bigger, t->slots[i].ptr) = t->slots[i];
	free(t->slots);
	*t = bigger;
	return 0;
}

int live_put(struct live_table *t, const struct live_slot *block, struct live_slot *was)
{
	if (!t->slots || t->n >= t->mask - t->mask / 4) {
		int err = grow(t);
		if (err)
			return err;
	}
	struct live_slot *s = seek(t, block->ptr);
	bool known = s->ptr;

	if (known)
		*was = *s;
	else
		t->n++;
	*s = *block;
	return known;
}

bool live_knows(const struct live_table *t, taddr ptr)
{
	return t->slots && ptr && seek(t, ptr)->ptr;
}

bool live_take(struct live_table *t, taddr ptr, struct live_slot *block)
{
	if (!t->slots || !ptr)
		return false;
	struct live_slot *s = seek(t, ptr);
	if (!s->ptr)
		return false;
	*block = *s;
	t->n--;
	/* Close the gap: move back whatever would no longer be found behind it. */
	size_t gap = (size_t)(s - t->slots);
	for (size_t i = (gap + 1) & t->mask; t->slots[i].ptr; i = (i + 1) & t->mask) {
		size_t h = home(t, t->slots[i].ptr);
		if (((i - h) & t->mask) >= ((i - gap) & t->mask)) {
			t->slots[gap] = t->slots[i];
			gap = i;
		}
	}
	t->slots[gap].ptr = 0;
	return true;
}

int live_copy(struct live_table *to, const struct live_table *from, uint32_t flag)
{
	*to = (struct live_table){ 0 };
	if (!from->slots)
		return 0;
	to->slots = malloc((from->mask + 1) * sizeof *to->slots);
	if (!to->slots)
		return -ENOMEM;
	memcpy(to->slots, from->slots, (from->mask + 1) * sizeof *to->slots);
	to->mask = from->mask;
	to->n = from->n;
	for (size_t i = 0; i <= to->mask; i++)
		to->slots[i].leaf |= flag;
	return 0;
}

size_t live_memory(const struct live_table *t)
{
	return t->slots ? (t->mask + 1) * sizeof *t->slots : 0;
}
