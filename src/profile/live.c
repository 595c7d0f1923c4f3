/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/live.h"

enum { SLOT = sizeof(struct live_slot) };

void live_release(struct live_table *t)
{
	addrtable_release(&t->table);
}

struct live_slot *live_add(struct live_table *t, taddr ptr, bool *known)
{
	return addrtable_put(&t->table, ptr, SLOT, known);
}

int live_put(struct live_table *t, const struct live_slot *block, struct live_slot *was)
{
	bool known;
	struct live_slot *s = live_add(t, block->ptr, &known);

	if (!s)
		return -ENOMEM;
	if (known)
		*was = *s;
	*s = *block;
	return known;
}

bool live_knows(const struct live_table *t, taddr ptr)
{
	return live_find(t, ptr);
}

struct live_slot *live_find(const struct live_table *t, taddr ptr)
{
	return addrtable_find(&t->table, ptr, SLOT);
}

const struct live_slot *live_guess(const struct live_table *t, taddr ptr)
{
	return t->table.slots ? addrtable_slot(&t->table, addrtable_home(&t->table, ptr), SLOT) :
				NULL;
}

void live_expect(const struct live_table *t, taddr ptr)
{
	addrtable_expect(&t->table, ptr, SLOT);
}

bool live_take(struct live_table *t, taddr ptr, struct live_slot *block)
{
	return addrtable_take(&t->table, ptr, SLOT, block);
}

void live_forget_reached(struct live_table *t)
{
	struct live_slot *slots = t->table.slots;

	for (size_t i = 0; slots && i <= t->table.mask; i++)
		slots[i].leaf &= ~LIVE_REACHED;
}

int live_copy(struct live_table *to, const struct live_table *from, uint32_t flag)
{
	*to = (struct live_table){ 0 };
	if (!from->table.slots)
		return 0;
	size_t n = from->table.mask + 1;
	struct live_slot *slots = malloc(n * SLOT);
	if (!slots)
		return -ENOMEM;
	memcpy(slots, from->table.slots, n * SLOT);
	for (size_t i = 0; i < n; i++)
		slots[i].leaf = (slots[i].leaf & ~LIVE_REACHED) | flag;
	to->table = (struct addrtable){ slots, from->table.mask, from->table.n };
	return 0;
}

size_t live_memory(const struct live_table *t)
{
	return t->table.slots ? (t->table.mask + 1) * SLOT : 0;
}
