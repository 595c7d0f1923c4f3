/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mixture SEED COUNT LOG: COUNT random calls of allocation functions, determined by SEED. At the
 * end LOG has a line for each call that did something, with the results of malloc_usable_size()
 * before and after it; -1: there was no block.
 *
 *	OLD-SIZE OLD-USABLE NEW-SIZE NEW-USABLE
 */
#include "target.h"

#include <malloc.h>

enum { BLOCKS = 150, MOST = 10000, LINE = 48 };

struct block {
	void *p;
	long size, usable;
};

static const struct block none = { NULL, -1, -1 };
static struct block blocks[BLOCKS];
static char text[MOST * LINE];
static size_t len;
static uint64_t state;

/* Knuth's MMIX generator: the same everywhere. */
static unsigned below(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static size_t some_size(void)
{
	switch (below(8)) {
	case 0:
		return 0;
	case 1:
		return below(100000);
	case 2:
		return 16 * below(64);
	default:
		return below(700);
	}
}

static struct block of(void *p, size_t size)
{
	MUST(p);
	return (struct block){ p, (long)size, (long)malloc_usable_size(p) };
}

static struct block take(size_t n)
{
	size_t alignment = (size_t)16 << below(9), times = 1 + below(5);
	void *p;

	switch (below(8)) {
	case 0:
	case 1:
		return of(calloc(times, n), times * n);
	case 2:
		return of(memalign(alignment, n), n);
	case 3:
		MUST(!posix_memalign(&p, alignment, n));
		return of(p, n);
	case 4:
		return of(realloc(NULL, n), n);
	default:
		return of(malloc(n), n);
	}
}

static struct block resize(const struct block *b)
{
	size_t n = some_size(), old = (size_t)b->size;

	switch (below(4)) {
	case 0:
		n = old ? below((unsigned)old) : 0;
		break;
	case 1:
		n = old + below(40);
		break;
	}
	void *p = realloc(b->p, n);

	return n ? of(p, n) : none;
}

static struct block drop(const struct block *b)
{
	free(b->p);
	return none;
}

static void note(const struct block *old, const struct block *new)
{
	len += (size_t)snprintf(text + len, sizeof text - len, "%ld %ld %ld "
							       "%ld\n", old->size, old->usable,
				new->size, new->usable);
}

int main(int argc, char **argv)
{
	MUST(argc == 4);
	state = strtoul(argv[1], NULL, 10);
	long count = strtol(argv[2], NULL, 10);
	MUST(count <= MOST);
	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = none;
	for (long i = 0; i < count; i++) {
		struct block *b = &blocks[below(BLOCKS)], old = *b;

		*b = !b->p ? take(some_size()) : below(2) ? resize(b) : drop(b);
		note(&old, b);
	}
	int fd = open(argv[3], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	MUST(fd >= 0);
	target_write(fd, text, len);
	return 0;
}
