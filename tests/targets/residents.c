/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * residents: becomes larger by exactly 64 pages at a command, and says "done COMMAND":
 *
 *	anon		private memory that is written
 *	behind		the same, right behind a file's mapping that nobody can write to
 *	zeros		private memory that is read and never written
 *	unwritten	a block with a mapping of its own that is read and never written
 *	named		private memory that is written, and has a name if the kernel has such
 *	shared		memory of a memfd
 *	blocks		64 blocks with a page of their own each: "usable BYTES"
 *	readonly	a block with a mapping of its own that is written and protected
 *	closed		the same, and it cannot be read either
 *	code		the same, and it can be executed
 *	stack		the stack becomes deeper for a moment
 *	file		private data of a file is written
 */
#include "live.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>

enum { PAGE = 4096, PAGES = 64, BYTES = PAGE * PAGES };

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

static char data[BYTES] __attribute__((aligned(4096))) = { 1 };

static char *map(int flags, int fd)
{
	char *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, flags, fd, 0);

	MUST(at != MAP_FAILED);
	return at;
}

static void touch(volatile char *at)
{
	for (size_t i = 0; i < BYTES; i += PAGE)
		at[i] = 2;
}

static void behind(void)
{
	char *at = mmap(NULL, PAGE + BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
	int fd = memfd_create("residents", MFD_CLOEXEC);

	MUST(at != MAP_FAILED && fd >= 0 && !ftruncate(fd, PAGE));
	MUST(mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == at);
	touch(at + PAGE);
}

static void zeros(void)
{
	volatile char *at = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);

	for (size_t i = 0; i < BYTES; i += PAGE)
		MUST(!at[i]);
}

static void unwritten(void)
{
	volatile char *block = calloc(1, BYTES);

	MUST(block);
	for (size_t i = 0; i < BYTES; i += PAGE)
		MUST(!block[i]);
}

static void named(void)
{
	char *at = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);

	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, at, BYTES, "residents");
	touch(at);
}

static void shared(void)
{
	int fd = memfd_create("residents", MFD_CLOEXEC);

	MUST(fd >= 0 && !ftruncate(fd, BYTES));
	touch(map(MAP_SHARED, fd));
}

static void blocks(void)
{
	size_t usable = 0;

	for (int i = 0; i < PAGES; i++)
		usable += malloc_usable_size(fill(aligned_alloc(PAGE, 4000), 4000, i));
	say("usable %zu\n", usable);
}

static void protected(int prot)
{
	char *block = aligned_alloc(PAGE, BYTES);

	MUST(block);
	touch(block);
	MUST(!mprotect(block, BYTES, prot));
}

static NOINLINE void deep(void)
{
	char here[BYTES];

	touch(here);
	STAY();
}

static void other(const char *word)
{
	if (!strcmp(word, "anon"))
		touch(map(MAP_PRIVATE | MAP_ANONYMOUS, -1));
	else if (!strcmp(word, "behind"))
		behind();
	else if (!strcmp(word, "zeros"))
		zeros();
	else if (!strcmp(word, "unwritten"))
		unwritten();
	else if (!strcmp(word, "named"))
		named();
	else if (!strcmp(word, "shared"))
		shared();
	else if (!strcmp(word, "blocks"))
		blocks();
	else if (!strcmp(word, "readonly"))
		protected(PROT_READ);
	else if (!strcmp(word, "closed"))
		protected(PROT_NONE);
	else if (!strcmp(word, "code"))
		protected(PROT_READ | PROT_EXEC);
	else if (!strcmp(word, "stack"))
		deep();
	else if (!strcmp(word, "file"))
		touch(data);
	else
		return;
	say("done %s\n", word);
}

static void report(void)
{
	say("report 1\n");
}

int main(void)
{
	free(malloc(100));
	live_serve(report, other);
	return 0;
}
