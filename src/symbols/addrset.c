/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/addrset.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

static size_t find_slot(const struct addrset *s, const void *addr)
{
	uint64_t h = (uint64_t)(uintptr_t)addr * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (h >> 20) & (s->n_slots - 1);

	while (s->slots[i] && s->slots[i] != addr)
		i = (i + 1) & (s->n_slots - 1);
	return i;
}

static int grow(struct addrset *s)
{
	struct addrset wider = { .n_slots = s->n_slots ? s->n_slots * 2 : 64, .n = s->n };

	wider.slots = calloc(wider.n_slots, sizeof *wider.slots);
	if (!wider.slots)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_slots; i++)
		if (s->slots[i])
			wider.slots[find_slot(&wider, s->slots[i])] = s->slots[i];
	free(s->slots);
	*s = wider;
	return 0;
}

int addrset_add(struct addrset *s, const void *addr)
{
	if (s->n >= s->n_slots / 2 && grow(s))
		return -ENOMEM;
	size_t i = find_slot(s, addr);

	if (s->slots[i])
		return 0;
	s->slots[i] = addr;
	s->n++;
	return 1;
}
