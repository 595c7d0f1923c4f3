/* SPDX-License-Identifier: BSD-2-Clause */
/* Two pools of items; the slabs behind them come from malloc, their lists from realloc. */
#include <stdlib.h>
#include <string.h>

struct item {
	struct item *next;
	char data[56];
};

struct pool {
	struct item *free;
	struct item **slabs;
	size_t n;
};

static void more(struct pool *p)
{
	p->slabs = realloc(p->slabs, (p->n + 1) * sizeof *p->slabs);
	struct item *slab = malloc(64 * sizeof *slab);

	p->slabs[p->n++] = slab;
	for (int i = 0; i < 64; i++) {
		slab[i].next = p->free;
		p->free = &slab[i];
	}
}

static struct item *take(struct pool *p)
{
	if (!p->free)
		more(p);
	struct item *i = p->free;
	p->free = i->next;
	return i;
}

static void drop(struct pool *p)
{
	while (p->n)
		free(p->slabs[--p->n]);
	free(p->slabs);
	memset(p, 0, sizeof *p);
}

int main(void)
{
	struct pool a = { 0 }, b = { 0 };

	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 500; i++) {
			take(&a);
			if (i % 3 == 0)
				take(&b);
		}
		drop(&b);
	}
	drop(&a);
	return 0;
}
