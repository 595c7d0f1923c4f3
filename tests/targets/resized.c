/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks that are resized somewhere else than where they were allocated: resized SEED. */
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define SITES 40

/* Forty places that allocate, by their number: which come first depends on the seed. */
#define SITE(n) \
	NOINLINE static void *site##n(void *p, size_t size) \
	{ \
		return realloc(p, size); \
	}
#define TEN(F, t) F(t##0) F(t##1) F(t##2) F(t##3) F(t##4) F(t##5) F(t##6) F(t##7) F(t##8) F(t##9)
#define FORTY(F) TEN(F, 1) TEN(F, 2) TEN(F, 3) TEN(F, 4)
FORTY(SITE)

#define ENTRY(n) site##n,
static void *(*const sites[SITES])(void *, size_t) = { FORTY(ENTRY) };

int main(int argc, char **argv)
{
	void *blocks[16];
	unsigned next = argc > 1 ? (unsigned)atoi(argv[1]) : 1;

	/* Each round has more than the one before: its first block that is made smaller makes a
	 * peak. */
	for (unsigned round = 1; round <= 6; round++) {
		for (unsigned i = 0; i < 48; i++) {
			void **block = &blocks[i % 16];

			next = next * 1103515245 + 12345;
			if (i < 16)
				*block = NULL;
			if (i < 32)
				*block = sites[(next >> 16) % SITES](*block,
								     (i < 16 ? 64 : 16) * round);
			else
				free(*block);
		}
	}
	return 0;
}
