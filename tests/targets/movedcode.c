/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that replaces its own code by a copy in anonymous memory, as programs do that move
 * their code to huge pages; and then loads and unloads a library.
 */
#include "target.h"

#include <dlfcn.h>
#include <sys/mman.h>

enum { TIMES = 20, SIZE = 3359, PAGE = 4096 };

static long pairs;

/* In a page of its own: who moves it must not stand on it. */
__attribute__((section(".text.moved"), aligned(PAGE))) static NOINLINE void pair(void)
{
	void *p = malloc(SIZE);

	STAY();
	free(p);
	pairs++;
	STAY();
}

__attribute__((section(".text.moved.end"), aligned(PAGE))) static NOINLINE void work(void)
{
	for (int i = 0; i < TIMES; i++)
		pair();
}

static void move(void)
{
	char *code = (char *)((uintptr_t)pair & ~(uintptr_t)(PAGE - 1));
	char *copy = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	MUST(copy != MAP_FAILED);
	memcpy(copy, code, PAGE);
	MUST(!mprotect(copy, PAGE, PROT_READ | PROT_EXEC));
	MUST(mremap(copy, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, code) == code);
}

int main(void)
{
	work();
	move();
	work();
	void *library = dlopen("libm.so.6", RTLD_NOW);
	MUST(library);
	work();
	MUST(!dlclose(library));
	work();
	bin(SIZE, pairs, pairs);
	say("movedcode: done\n");
	return 0;
}
