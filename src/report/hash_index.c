/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/hash_index.h"

#include <errno.h>
#include <stdlib.h>

struct hash_slot {
	uint64_t hash;		/* kept so that growing need not ask for the keys */
	uint32_t item;
	bool used;
};

uint32_t hash_index_find(const struct hash_index *h, uint64_t hash, hash_index_same *same,
			 const void *ctx, const void *key)
{
	if (!h->n_slots)
		return HASH_INDEX_NONE;
	for (size_t i = hash & (h->n_slots - 1);; i = (i + 1) & (h->n_slots - 1)) {
		const struct hash_slot *s = &h->slots[i];

		if (!s->used)
			return HASH_INDEX_NONE;
		if (s->hash == hash && same(ctx, s->item, key))
			return s->item;
	}
}

static void put(struct hash_slot *slots, size_t n_slots, struct hash_slot s)
{
	size_t i = s.hash & (n_slots - 1);

	while (slots[i].used)
		i = (i + 1) & (n_slots - 1);
	slots[i] = s;
}

static int grow(struct hash_index *h)
{
	size_t n_slots = h->n_slots ? 2 * h->n_slots : 64;
	struct hash_slot *slots = calloc(n_slots, sizeof *slots);

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < h->n_slots; i++)
		if (h->slots[i].used)
			put(slots, n_slots, h->slots[i]);
	free(h->slots);
	h->slots = slots;
	h->n_slots = n_slots;
	return 0;
}

int hash_index_add(struct hash_index *h, uint64_t hash, uint32_t item)
{
	if (2 * h->n >= h->n_slots) {	/* at most half full: the runs stay short */
		int err = grow(h);

		if (err)
			return err;
	}
	put(h->slots, h->n_slots, (struct hash_slot){ .hash = hash, .item = item, .used = true });
	h->n++;
	return 0;
}

void hash_index_release(struct hash_index *h)
{
	free(h->slots);
	*h = (struct hash_index){ 0 };
}
