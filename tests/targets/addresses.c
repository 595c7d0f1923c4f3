/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints which addresses the kernel hands out: for "map" on standard input those of mappings, of
 * stacks, of the heap and of a child's, a line each. Under setarch -R they depend only on what the
 * program has mapped before.
 */
#include "live.h"

#include <sys/mman.h>
#include <sys/wait.h>

static void *map(size_t size, int flags)
{
	void *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags,
		       -1, 0);

	MUST(p != MAP_FAILED);
	return p;
}

static void *stack(void *unused)
{
	(void)unused;
	say("stack %p, malloc %p\n", (void *)&(char){ 0 }, malloc(100));
	return NULL;
}

static void map_some(void)
{
	for (size_t size = 10000; size < (size_t)1 << 35; size *= 100)
		say("%zu bytes at %p\n", size, map(size, 0));
	say("below 2 GiB: %p\n", map(10000, MAP_32BIT));
	say("break %p, malloc %p, large %p\n", sbrk(4096), malloc(10), malloc(1 << 20));
}

static void on_word(const char *word)
{
	pthread_t thread;

	if (strcmp(word, "map"))
		return;
	map_some();
	MUST(!pthread_create(&thread, NULL, stack, NULL) && !pthread_join(thread, NULL));
	pid_t child = fork();

	if (!child) {
		map_some();
		_exit(0);
	}
	MUST(child > 0 && waitpid(child, NULL, 0) == child);
	say("mapped\n");
}

static void nothing(void)
{
}

int main(void)
{
	live_serve(nothing, on_word);
	return 0;
}
