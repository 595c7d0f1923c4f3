/* SPDX-License-Identifier: BSD-2-Clause */
/* A pool that tells mprof of its blocks: cc -g -Iinclude -o pool examples/pool.c; mprof run ./pool */
#include <mprof/mprof.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 1000

union cell {
	union cell *next;
	char bytes[48];
};

static union cell *slab, *unused;

static void *cell_get(size_t size)
{
	union cell *c = unused;

	if (!slab) {
		slab = calloc(CELLS, sizeof *slab);
		for (int i = 0; i < CELLS - 1; i++)
			slab[i].next = &slab[i + 1];
		c = slab;
	}
	unused = c->next;
	mprof_malloclike(c, size);
	return c;
}

static void cell_put(void *p)
{
	mprof_freelike(p);
	((union cell *)p)->next = unused;
	unused = p;
}

int main(void)
{
	void *kept[100];

	for (int i = 0; i < 100; i++)
		kept[i] = cell_get(i % 2 ? 24 : 40);
	for (int i = 0; i < 60; i++)
		cell_put(kept[i]);
	mprof_resize(kept[99], 48);
	printf("40 cells are left\n");
	return 0;
}
