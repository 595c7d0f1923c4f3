/* SPDX-License-Identifier: BSD-2-Clause */
/* Code that a program generates, and whose names it writes to a perf map as a JIT compiler does. */
#include "target.h"

#include <sys/mman.h>

/* push %rbp; mov %rsp,%rbp; mov $7057,%edi; mov $malloc,%rax; call *%rax; pop %rbp; ret */
static const unsigned char code[] = {
	0x55, 0x48, 0x89, 0xe5, 0xbf, 0x91, 0x1b, 0,	0,    0x48, 0xb8, 0,
	0,    0,    0,	  0,	0,    0,    0,	  0xff, 0xd0, 0x5d, 0xc3,
};

/* @argv[1]: so many bytes the file has in the end, most of them a hole */
int main(int argc, char **argv)
{
	char path[64];
	void *f = (void *)malloc;
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return 1;
	memcpy(page, code, sizeof code);
	memcpy(page + 11, &f, sizeof f);
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
	FILE *map = fopen(path, "we");
	if (!map)
		return 2;
	fprintf(map, "%lx 10000 an old function\n%lx %zx LazyCompile:~jitted game.js:3\n",
		(unsigned long)page, (unsigned long)page, sizeof code);
	fflush(map);
	if (argc > 1 && ftruncate(fileno(map), (off_t)strtoull(argv[1], NULL, 0)))
		return 3;
	fclose(map);
	for (int i = 0; i < 5; i++) {
		void *(*made)(void);

		memcpy(&made, &page, sizeof made);
		made();
	}
	return 0;
}
