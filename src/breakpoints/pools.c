/* SPDX-License-Identifier: BSD-2-Clause */
#include "breakpoints/pools.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

#define NONE IDINDEX_NONE

/* A pool is kept after its end: another pool will soon have its address. */
struct pool {
	taddr at;
	uint32_t last;	/* the block that was given last; NONE: it has none */
};

struct pooled {
	taddr at;
	uint32_t pool;
	uint32_t before, after;	/* neighbours in its pool; of a free record: before is the next free
				   one */
};

void pools_release(struct pools *p)
{
	free(p->v);
	free(p->blocks);
	idindex_release(&p->index);
	idindex_release(&p->block_index);
	*p = (struct pools){ 0 };
}

static bool pool_eq(const void *owner, uint32_t id, const void *key)
{
	return ((const struct pools *)owner)->v[id].at == *(const taddr *)key;
}

static uint64_t pool_rehash(const void *owner, uint32_t id)
{
	return hash_mix(((const struct pools *)owner)->v[id].at);
}

static bool block_eq(const void *owner, uint32_t id, const void *key)
{
	return ((const struct pools *)owner)->blocks[id].at == *(const taddr *)key;
}

static uint64_t block_rehash(const void *owner, uint32_t id)
{
	return hash_mix(((const struct pools *)owner)->blocks[id].at);
}

static uint32_t find(const struct pools *p, taddr pool)
{
	return idindex_find(&p->index, hash_mix(pool), pool_eq, p, &pool);
}

static uint32_t add(struct pools *p, taddr pool)
{
	if (ARRAY_RESERVE(&p->v, &p->cap, p->n))
		return NONE;
	p->v[p->n] = (struct pool){ .at = pool, .last = NONE };
	if (idindex_add(&p->index, (uint32_t)p->n, hash_mix(pool), pool_rehash, p))
		return NONE;
	return (uint32_t)p->n++;
}

/* ---- blocks ---- */

/* A record for a block. The list of free records ends with the one behind the last. */
static uint32_t new_block(struct pools *p)
{
	uint32_t id = p->spare;

	if (id < p->n_blocks) {
		p->spare = p->blocks[id].before;
		return id;
	}
	if (p->n_blocks >= NONE || ARRAY_RESERVE(&p->blocks, &p->cap_blocks, p->n_blocks))
		return NONE;
	p->spare = (uint32_t)++p->n_blocks;
	return id;
}

static void free_block(struct pools *p, uint32_t id)
{
	p->blocks[id] = (struct pooled){ .before = p->spare };
	p->spare = id;
}

static void remove_block(struct pools *p, uint32_t id)
{
	const struct pooled *b = &p->blocks[id];

	if (b->before != NONE)
		p->blocks[b->before].after = b->after;
	if (b->after != NONE)
		p->blocks[b->after].before = b->before;
	else
		p->v[b->pool].last = b->before;
	idindex_remove(&p->block_index, id, hash_mix(b->at), block_rehash, p);
	free_block(p, id);
}

void pools_drop(struct pools *p, taddr block)
{
	uint32_t id = p->block_index.n
			      ? idindex_find(&p->block_index, hash_mix(block), block_eq, p, &block)
			      : NONE;

	if (id != NONE)
		remove_block(p, id);
}

int pools_put(struct pools *p, taddr pool, taddr block)
{
	uint32_t of = find(p, pool);

	if (of == NONE)
		of = add(p, pool);
	pools_drop(p, block);
	uint32_t id = of == NONE ? NONE : new_block(p);
	if (id == NONE)
		return -ENOMEM;
	p->blocks[id] = (struct pooled){ block, of, p->v[of].last, NONE };
	if (idindex_add(&p->block_index, id, hash_mix(block), block_rehash, p)) {
		free_block(p, id);
		return -ENOMEM;
	}
	if (p->v[of].last != NONE)
		p->blocks[p->v[of].last].after = id;
	p->v[of].last = id;
	return 0;
}

taddr pools_take(struct pools *p, taddr pool)
{
	uint32_t of = find(p, pool);

	if (of == NONE || p->v[of].last == NONE)
		return 0;
	taddr block = p->blocks[p->v[of].last].at;
	remove_block(p, p->v[of].last);
	return block;
}

int pools_copy(struct pools *to, const struct pools *from)
{
	int err = 0;

	for (size_t i = 0; i < from->n; i++) {
		uint32_t first = from->v[i].last;

		/* Keep the order in which they were given. */
		while (first != NONE && from->blocks[first].before != NONE)
			first = from->blocks[first].before;
		for (uint32_t b = first; !err && b != NONE; b = from->blocks[b].after)
			err = pools_put(to, from->v[i].at, from->blocks[b].at);
	}
	return err;
}
