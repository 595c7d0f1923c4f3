/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known changes of its address space, one after the other; with an argument, a second thread maps
 * and unmaps meanwhile. At the end it prints how many bytes are mapped, as it sees them itself.
 */
#include "target.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/shm.h>

enum { PAGE = 4096 };

static NOINLINE char *map(size_t pages)
{
	char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	MUST(p != MAP_FAILED);
	return p;
}

static NOINLINE void known(void)
{
	char *p = map(100);

	MUST(!munmap(p + 10 * PAGE, 20 * PAGE));
	MUST(mremap(p + 50 * PAGE, 50 * PAGE, 30 * PAGE, 0) == p + 50 * PAGE);
	char *q = mremap(p + 50 * PAGE, 30 * PAGE, 400 * PAGE, MREMAP_MAYMOVE);
	MUST(q != MAP_FAILED);
	/* in place of a part */
	MUST(mmap(q + PAGE, 3 * PAGE - 5, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		  0) == q + PAGE);
	/* fail */
	MUST(munmap(q + 1, PAGE) == -1 && mmap(NULL, 0, 0, MAP_PRIVATE, -1, 0) == MAP_FAILED);
	MUST(sbrk(7 * PAGE) != (void *)-1);
	MUST(sbrk(-3 * PAGE - 100) != (void *)-1);
	int id = shmget(IPC_PRIVATE, 5 * PAGE, 0600);
	if (id >= 0) {
		void *at = shmat(id, NULL, 0);
		shmctl(id, IPC_RMID, NULL);
		MUST(at == (void *)-1 || !shmdt(at));
	}
}

static void *churn(void *arg)
{
	for (int i = 0; i < 50; i++) {
		char *p = map(1 + (size_t)i % 7);

		MUST(!munmap(p, PAGE * (1 + (size_t)i % 7)));
	}
	return arg;
}

static NOINLINE void deep(int n)
{
	volatile char page[PAGE];

	page[0] = 1;
	if (n)
		deep(n - 1);
	page[1] = 1;
}

/* Without stdio, which may map more. */
static unsigned long mapped(void)
{
	static char text[1 << 16];
	size_t n = 0;
	ssize_t got;
	unsigned long sum = 0;
	int fd = open("/proc/self/maps", O_RDONLY);

	while ((got = read(fd, text + n, sizeof text - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	for (char *line = text; line && *line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		unsigned long start = strtoul(line, &line, 16), end = strtoul(line + 1, &line, 16);

		if (start < 1ul << 47)
			sum += end - start;
	}
	return sum;
}

int main(int argc, char **argv)
{
	char line[64];

	(void)argv;
	known();
	if (argc > 1) {
		pthread_t t[3];

		for (int i = 0; i < 3; i++)
			MUST(!pthread_create(&t[i], NULL, churn, NULL));
		churn(NULL);
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
	}
	deep(100);
	int n = snprintf(line, sizeof line, "mapped %lu\n", mapped());
	/* One more event, so that there is a snapshot of the end. */
	map(1);
	return write(1, line, (size_t)n) != n;
}
