/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unmaps every mapping of a memfd, none of which it has made itself, and goes on allocating; its
 * handlers for faults would end it. Prints how many mappings it has unmapped.
 */
#include "target.h"

#include <signal.h>
#include <sys/mman.h>

enum { BEFORE = 50, AFTER = 500, SIZE = 6007 };

static void on_fault(int sig)
{
	_exit(sig);
}

static NOINLINE void allocate(int times)
{
	for (int i = 0; i < times; i++) {
		char *volatile p = malloc(SIZE);

		MUST(p);
		p[0] = p[SIZE - 1] = (char)i;
		p = realloc(p, SIZE);
		MUST(p && p[0] == (char)i && p[SIZE - 1] == (char)i);
		free(p);
	}
}

/* Without a stream, which would allocate in between. */
static int unmap_all(void)
{
	static char maps[1 << 16];
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), n = 0;
	size_t len = 0;
	ssize_t got;

	MUST(fd >= 0);
	while ((got = read(fd, maps + len, sizeof maps - 1 - len)) > 0)
		len += (size_t)got;
	close(fd);
	for (char *line = strtok(maps, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned long lo, hi;

		if (!strstr(line, "/memfd:") || sscanf(line, "%lx-%lx", &lo, &hi) != 2)
			continue;
		MUST(!munmap((void *)lo, hi - lo));
		n++;
	}
	return n;
}

int main(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGTRAP };

	for (size_t i = 0; i < LENGTH(signals); i++)
		MUST(signal(signals[i], on_fault) != SIG_ERR);
	allocate(BEFORE);
	int n = unmap_all();
	allocate(AFTER);
	printf("%d unmapped\n", n);
	return 0;
}
