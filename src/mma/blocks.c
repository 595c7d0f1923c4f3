/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/blocks.h"

enum { SLOT = sizeof(struct mma_block) };

void mma_blocks_release(struct mma_blocks *b)
{
	addrtable_release(&b->table);
}

int mma_blocks_put(struct mma_blocks *b, uint64_t ptr, uint64_t size, uint64_t *was)
{
	bool replaced;
	struct mma_block *s = addrtable_put(&b->table, ptr, SLOT, &replaced);

	if (!s)
		return -ENOMEM;
	*was = replaced ? s->size : 0;
	s->size = size;
	return replaced;
}

bool mma_blocks_has(const struct mma_blocks *b, uint64_t ptr)
{
	return addrtable_find(&b->table, ptr, SLOT);
}

void mma_blocks_expect(const struct mma_blocks *b, uint64_t ptr)
{
	addrtable_expect(&b->table, ptr, SLOT);
}

const struct mma_block *mma_blocks_next(const struct mma_blocks *b, size_t *i)
{
	while (b->table.slots && *i <= b->table.mask) {
		const struct mma_block *s = addrtable_slot(&b->table, (*i)++, SLOT);

		if (s->ptr)
			return s;
	}
	return NULL;
}

bool mma_blocks_take(struct mma_blocks *b, uint64_t ptr, uint64_t *size)
{
	struct mma_block was;
	bool known = addrtable_take(&b->table, ptr, SLOT, &was);

	if (known)
		*size = was.size;
	return known;
}
