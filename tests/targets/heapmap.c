/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps and unmaps memory in functions of known names, always the same; allocates 40 blocks, too.
 * Any argument: profiling begins anew before the break is moved.
 */
#include "target.h"
#include "mprof/mprof.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE 4096

void *volatile keep[40];

NOINLINE static char *map_pages(size_t len)
{
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	MUST(p != MAP_FAILED);
	return p;
}

/* 8 pages, of which 2 in the middle, then 3 at the end go: 3 are left, in one object. */
NOINLINE static void in_parts(void)
{
	char *p = map_pages(8 * PAGE);

	MUST(!munmap(p + 2 * PAGE, 2 * PAGE));
	MUST(!munmap(p + 5 * PAGE, 3 * PAGE));
}

/* An odd length, which goes whole, page by page. */
NOINLINE static void whole(void)
{
	char *p = map_pages(PAGE + 100);

	MUST(!munmap(p + PAGE, 1));
	MUST(!munmap(p, PAGE));
}

NOINLINE static void moved(void)
{
	char *p = map_pages(4 * PAGE);

	p = mremap(p, 4 * PAGE, 9 * PAGE, MREMAP_MAYMOVE);
	MUST(p != MAP_FAILED);
}

NOINLINE static void direct(void)
{
	MUST(syscall(SYS_mmap, NULL, 7 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	     -1);
	STAY();
}

NOINLINE static void broken(void)
{
	MUST(sbrk(50000) != (void *)-1);
	MUST(sbrk(-20000) != (void *)-1);
}

NOINLINE static void allocate(void)
{
	for (int i = 0; i < 40; i++)
		keep[i] = malloc(3001);
	STAY();
}

int main(int argc, char **argv)
{
	(void)argv;
	allocate();
	in_parts();
	whole();
	moved();
	direct();
	if (argc > 1)
		mprof_restart(NULL);
	broken();
	return 0;
}
