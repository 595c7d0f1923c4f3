/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/blocks.h"

#include "base/idindex.h"

#include <errno.h>
#include <stdlib.h>

void mma_blocks_release(struct mma_blocks *b)
{
	free(b->slots);
	*b = (struct mma_blocks){ 0 };
}

/* The slot that has @ptr, or the empty one where it belongs. */
static struct mma_block *seek(const struct mma_blocks *b, uint64_t ptr)
{
	size_t i = hash_mix(ptr) & b->mask;

	while (b->slots[i].ptr && b->slots[i].ptr != ptr)
		i = (i + 1) & b->mask;
	return &b->slots[i];
}

static int grow(struct mma_blocks *b)
{
	size_t n = b->slots ? (b->mask + 1) * 2 : 1024;
	struct mma_blocks bigger = { calloc(n, sizeof *b->slots), n - 1, b->n };

	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; b->slots && i <= b->mask; i++)
		if (b->slots[i].ptr)
			*seek(&bigger, b->slots[i].ptr) = b->slots[i];
	free(b->slots);
	*b = bigger;
	return 0;
}

int mma_blocks_put(struct mma_blocks *b, uint64_t ptr, uint64_t size, uint64_t *was)
{
	if (!b->slots || b->n >= b->mask - b->mask / 4) {
		int err = grow(b);
		if (err)
			return err;
	}
	struct mma_block *s = seek(b, ptr);
	bool replaced = s->ptr;

	*was = replaced ? s->size : 0;
	b->n += !replaced;
	*s = (struct mma_block){ ptr, size };
	return replaced;
}

bool mma_blocks_has(const struct mma_blocks *b, uint64_t ptr)
{
	return b->slots && ptr && seek(b, ptr)->ptr;
}

void mma_blocks_expect(const struct mma_blocks *b, uint64_t ptr)
{
	if (b->slots)
		__builtin_prefetch(&b->slots[hash_mix(ptr) & b->mask], 1);
}

bool mma_blocks_take(struct mma_blocks *b, uint64_t ptr, uint64_t *size)
{
	if (!b->slots || !ptr)
		return false;
	struct mma_block *s = seek(b, ptr);
	if (!s->ptr)
		return false;
	*size = s->size;
	b->n--;
	/* Close the gap: move back whatever would no longer be found behind it. */
	size_t gap = (size_t)(s - b->slots);
	for (size_t i = (gap + 1) & b->mask; b->slots[i].ptr; i = (i + 1) & b->mask) {
		size_t home = hash_mix(b->slots[i].ptr) & b->mask;
		if (((i - home) & b->mask) >= ((i - gap) & b->mask)) {
			b->slots[gap] = b->slots[i];
			gap = i;
		}
	}
	b->slots[gap].ptr = 0;
	return true;
}
