/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * forgets: a program that loses blocks at commands, with whatever allocator it is run with: it asks
 * for usable sizes, and does not assume them.
 *
 *	lose N SIZE	N blocks of SIZE bytes, each of which leads to another one like it, are
 *			forgotten: "lost BLOCKS BYTES THROUGH THROUGH_BYTES", of all until now
 *	keep N SIZE	the same, but the first leads to the second and so on: "kept"
 *	turn N SIZE	the same, and all are freed then: "turned"
 *	leave N SIZE	N blocks, at most 64, are forgotten but for pointers into them: "left"
 */
#include "live.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>

struct item {
	struct item *next, *below;
};

extern struct item *volatile kept;
struct item *volatile kept;
extern char *volatile cursors[64];
char *volatile cursors[64];
static uint64_t lost[4];

/* No block's address is left on the stack, nor in a vector register, which caches are copied by. */
NOINLINE static void forget(void)
{
	volatile char stack[8192];

	for (size_t i = 0; i < sizeof stack; i++)
		stack[i] = 0;
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroall");
	if (__builtin_cpu_supports("avx512f"))
		__asm__ volatile(".irp n, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t"
				 "vpxorq %%zmm\\n, %%zmm\\n, %%zmm\\n\n\t"
				 ".endr" ::);
}

NOINLINE static struct item *item(size_t size)
{
	struct item *i = malloc(size), *below = malloc(size);

	MUST(i && below);
	memset(i, 0, size);
	memset(below, 0, size);
	i->below = below;
	return i;
}

NOINLINE static void lose(size_t n, size_t size)
{
	for (size_t k = 0; k < n; k++) {
		struct item *i = item(size);

		lost[0]++;
		lost[1] += malloc_usable_size(i);
		lost[2]++;
		lost[3] += malloc_usable_size(i->below);
	}
}

NOINLINE static void keep(size_t n, size_t size)
{
	for (size_t k = 0; k < n; k++) {
		struct item *i = item(size);

		i->next = kept;
		kept = i;
	}
}

NOINLINE static void turn(size_t n, size_t size)
{
	struct item *all = NULL;

	for (size_t k = 0; k < n; k++) {
		struct item *i = item(size);

		i->next = all;
		all = i;
	}
	while (all) {
		struct item *i = all;

		all = i->next;
		free(i->below);
		free(i);
	}
}

NOINLINE static void leave(size_t n, size_t size)
{
	for (size_t k = 0; k < sizeof cursors / sizeof *cursors; k++) {
		cursors[k] = k < n ? calloc(1, size) : NULL;
		if (k < n)
			cursors[k] += size / 2;
	}
}

static void other(const char *line)
{
	unsigned long n, size;

	if (sscanf(line, "lose %lu %lu", &n, &size) == 2) {
		lose(n, size);
		forget();
		say("lost %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", lost[0], lost[1],
		    lost[2], lost[3]);
	} else if (sscanf(line, "keep %lu %lu", &n, &size) == 2) {
		keep(n, size);
		forget();
		say("kept\n");
	} else if (sscanf(line, "turn %lu %lu", &n, &size) == 2) {
		turn(n, size);
		forget();
		say("turned\n");
	} else if (sscanf(line, "leave %lu %lu", &n, &size) == 2) {
		leave(n, size);
		forget();
		say("left %lu\n", n);
	}
}

int main(void)
{
	live_serve(NULL, other);
	return 0;
}
