/* SPDX-License-Identifier: BSD-2-Clause */
#include "target.h"

/*
 * Very many call chains: each request has its own path through two functions that call themselves
 * and each other. One block in a hundred is kept.
 */
enum { DEPTH = 40, SIZE_FREED = 1201, SIZE_KEPT = 1203 };

static void *left(uint64_t way, int depth, size_t size);
static void *right(uint64_t way, int depth, size_t size);

static NOINLINE void *end(size_t size)
{
	void *p = malloc(size);

	STAY();
	return p;
}

static NOINLINE void *step(uint64_t way, int depth, size_t size)
{
	void *p = !depth  ? end(size) :
		  way & 1 ? left(way >> 1, depth - 1, size) :
			    right(way >> 1, depth - 1, size);

	STAY();
	return p;
}

static NOINLINE void *left(uint64_t way, int depth, size_t size)
{
	void *p = step(way, depth, size);

	STAY();
	return p;
}

static NOINLINE void *right(uint64_t way, int depth, size_t size)
{
	void *p = step(way, depth, size);

	STAY();
	return p;
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000, way = 1;

	for (uint64_t i = 0; i < n; i++) {
		const bool stays = i % 100 == 99;
		void *p;

		way = way * 6364136223846793005u + 1442695040888963407u;
		p = step(way >> 16, DEPTH, stays ? SIZE_KEPT : SIZE_FREED);
		if (!stays)
			free(p);
	}
	bin(SIZE_FREED, n - n / 100, n - n / 100);
	bin(SIZE_KEPT, n / 100, 0);
	return 0;
}
