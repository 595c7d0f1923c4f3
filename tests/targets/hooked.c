/* SPDX-License-Identifier: BSD-2-Clause */
/* An allocator whose names are not known to mprof: it gets memory from malloc, and is called by
 * other functions, which are not exported. */
#include "target.h"

struct header {
	size_t size, pad;
};

static NOINLINE void *pool_take(size_t n)
{
	struct header *h = malloc(n + sizeof *h);

	h->size = n;
	STAY();
	return h + 1;
}

static NOINLINE void pool_give(void *p)
{
	free((struct header *)p - 1);
	STAY();
}

static NOINLINE void *pool_more(void *p, size_t n)
{
	struct header *h = realloc(p ? (struct header *)p - 1 : NULL, n + sizeof *h);

	h->size = n;
	STAY();
	return h + 1;
}

static NOINLINE int pool_into(int flags, void **out, size_t n, size_t each)
{
	if (flags)
		return flags;
	*out = pool_take(n * each);
	STAY();
	return 0;
}

int main(void)
{
	void *p[20], *q;

	for (size_t i = 0; i < LENGTH(p); i++)
		p[i] = fill(pool_take(8101), 8101, 1);
	for (size_t i = 0; i < 12; i++)
		pool_give(p[i]);
	p[12] = pool_more(p[12], 8111);
	MUST(!pool_into(0, &q, 7, 1161));
	MUST(pool_into(1, &q, 7, 1161));
	pool_give(q);
	free(malloc(8131));
	bin(8101, 20, 13);
	bin(8111, 1, 0);
	bin(8127, 1, 1);
	bin(8131, 1, 1);
	bin(8101 + 16, 0, 0);
	truth("unknown 0\n");
	say("hooked: done\n");
	return 0;
}
