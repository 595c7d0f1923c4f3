/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/idindex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void idindex_release(struct idindex *x)
{
	free(x->slots);
	*x = (struct idindex){ 0 };
}

void idindex_clear(struct idindex *x)
{
	if (x->slots)
		memset(x->slots, 0, ((size_t)x->mask + 1) * sizeof *x->slots);
	x->n = 0;
}

static void put(uint32_t *slots, uint32_t mask, uint32_t id, uint64_t hash)
{
	uint32_t i = (uint32_t)hash & mask;

	while (slots[i])
		i = (i + 1) & mask;
	slots[i] = id + 1;
}

static int grow(struct idindex *x, idindex_hash *rehash, const void *owner)
{
	uint32_t n = x->slots ? (x->mask + 1) * 2 : 64;
	uint32_t *slots = calloc(n, sizeof *slots);

	if (!slots)
		return -ENOMEM;
	for (uint32_t i = 0; x->slots && i <= x->mask; i++)
		if (x->slots[i])
			put(slots, n - 1, x->slots[i] - 1, rehash(owner, x->slots[i] - 1));
	free(x->slots);
	x->slots = slots;
	x->mask = n - 1;
	return 0;
}

int idindex_add(struct idindex *x, uint32_t id, uint64_t hash, idindex_hash *rehash,
		const void *owner)
{
	/* At most 3/4 full, so that a search for an element that is not there ends soon. */
	if (!x->slots || x->n >= x->mask - x->mask / 4) {
		int err = grow(x, rehash, owner);
		if (err)
			return err;
	}
	put(x->slots, x->mask, id, hash);
	x->n++;
	return 0;
}

void idindex_remove(struct idindex *x, uint32_t id, uint64_t hash, idindex_hash *rehash,
		    const void *owner)
{
	uint32_t hole = (uint32_t)hash & x->mask;

	while (x->slots && x->slots[hole] && x->slots[hole] != id + 1)
		hole = (hole + 1) & x->mask;
	if (!x->slots || !x->slots[hole])
		return;
	x->n--;
	/* Move elements into the hole whose search would end there (Knuth, vol. 3, 6.4, algorithm
	 * R). */
	for (uint32_t i = (hole + 1) & x->mask; x->slots[i]; i = (i + 1) & x->mask) {
		uint32_t home = (uint32_t)rehash(owner, x->slots[i] - 1) & x->mask;

		if (((i - home) & x->mask) < ((i - hole) & x->mask))
			continue;
		x->slots[hole] = x->slots[i];
		hole = i;
	}
	x->slots[hole] = 0;
}

int idindex_copy(struct idindex *to, const struct idindex *from)
{
	if (!from->slots)
		return 0;
	size_t size = ((size_t)from->mask + 1) * sizeof *from->slots;
	uint32_t *slots = malloc(size);

	if (!slots)
		return -ENOMEM;
	memcpy(slots, from->slots, size);
	*to = (struct idindex){ slots, from->mask, from->n };
	return 0;
}
