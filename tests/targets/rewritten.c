/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Generates code that calls malloc, overwrites it by code whose only instruction has the old return
 * address of malloc in its middle, and forks. Parent and child run it, and then write and run the
 * first code again.
 */
#include "target.h"

#include <sys/mman.h>
#include <sys/wait.h>

enum { SIZE = 3361, MALLOC_AT = 7, WORD_AT = 17 };

/* It calls malloc, which returns to byte 22. */
static const unsigned char caller[] = {
	/* sub $8,%rsp; nop; mov $malloc,%rax */
	0x48, 0x83, 0xec, 0x08, 0x90, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0,
	0xbf, SIZE & 255, SIZE >> 8, 0, 0,				  /* mov $SIZE,%edi */
	/* call *%rax; add $8,%rsp; ret */
	0xff, 0xd0, 0x48, 0x83, 0xc4, 0x08, 0xc3,
};

/* nop 15 times; movabs $WORD,%rax, from byte 15 to 24; ret */
static const unsigned char word[] = {
	0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
	0x48, 0xb8, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x18, 0xc3,
};

static unsigned char *page;

static uint64_t run(const unsigned char *code, size_t n)
{
	uint64_t (*made)(void);

	if (code)
		memcpy(page, code, n);
	memcpy(&made, &page, sizeof made);
	return made();
}

static void pair(void)
{
	unsigned char code[sizeof caller];
	void *f = (void *)malloc;

	memcpy(code, caller, sizeof caller);
	memcpy(code + MALLOC_AT, &f, sizeof f);
	void *p = (void *)run(code, sizeof code);
	free(fill(p, SIZE, 1));
}

static void word_is_whole(bool anew)
{
	uint64_t want;

	memcpy(&want, word + WORD_AT, sizeof want);
	MUST(run(anew ? word : NULL, sizeof word) == want);
}

int main(void)
{
	int status;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	MUST(page != MAP_FAILED);
	pair();
	word_is_whole(true);
	pid_t pid = fork();
	MUST(pid >= 0);
	target_is_child = !pid;
	word_is_whole(false);
	pair();
	word_is_whole(true);
	bin(SIZE, 1 + !target_is_child, 1 + !target_is_child);
	if (target_is_child)
		_exit(0);
	MUST(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status));
	say("rewritten: done\n");
	return 0;
}
