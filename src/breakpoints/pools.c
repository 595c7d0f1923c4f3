/* SPDX-License-Identifier: BSD-2-Clause */
#include "breakpoints/pools.h"

#include "base/array.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* A pool stays once it is known: its address will be another's soon. */
struct pool {
	taddr at;
	taddr *blocks;
	size_t n, cap;
};

void pools_release(struct pools *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].blocks);
	free(p->v);
	idindex_release(&p->index);
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

static struct pool *find(const struct pools *p, taddr pool)
{
	uint32_t id = idindex_find(&p->index, hash_mix(pool), pool_eq, p, &pool);

	return id == IDINDEX_NONE ? NULL : &p->v[id];
}

static struct pool *add(struct pools *p, taddr pool)
{
	if (ARRAY_RESERVE(&p->v, &p->cap, p->n))
		return NULL;
	p->v[p->n] = (struct pool){ .at = pool };
	if (idindex_add(&p->index, (uint32_t)p->n, hash_mix(pool), pool_rehash, p))
		return NULL;
	return &p->v[p->n++];
}

int pools_put(struct pools *p, taddr pool, taddr block)
{
	struct pool *of = find(p, pool);

	if (!of)
		of = add(p, pool);
	if (!of || ARRAY_RESERVE(&of->blocks, &of->cap, of->n))
		return -ENOMEM;
	of->blocks[of->n++] = block;
	return 0;
}

taddr pools_take(struct pools *p, taddr pool)
{
	struct pool *of = find(p, pool);

	return of && of->n ? of->blocks[--of->n] : 0;
}

int pools_copy(struct pools *to, const struct pools *from)
{
	int err = 0;

	for (size_t i = 0; i < from->n; i++)
		for (size_t j = 0; !err && j < from->v[i].n; j++)
			err = pools_put(to, from->v[i].at, from->v[i].blocks[j]);
	return err;
}
