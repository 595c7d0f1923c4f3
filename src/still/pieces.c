/* SPDX-License-Identifier: BSD-2-Clause */
#include "still/pieces.h"

#include "base/array.h"
#include "base/clock.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

/* More do not make memory faster. */
enum { THREADS_MAX = 4 };

void pieces_release(struct pieces *p)
{
	free(p->v);
	*p = (struct pieces){0};
}

/* Small enough that all threads finish at about the same time. */
#define PIECE_MAX (UINT64_C(2) << 20)

int pieces_add(struct pieces *p, taddr at, uint64_t size, uint8_t *to)
{
	for (uint64_t done = 0; done < size;) {
		uint64_t some = size - done < PIECE_MAX ? size - done : PIECE_MAX;

		if (ARRAY_RESERVE(&p->v, &p->cap, p->n))
			return -ENOMEM;
		p->v[p->n++] = (struct piece){.at = at + done, .size = some, .to = to + done};
		done += some;
	}
	return 0;
}

int pieces_add_rest(struct pieces *p, const struct piece *piece, uint64_t page_size)
{
	uint64_t over = piece->got / page_size * page_size + page_size;

	if (over >= piece->size)
		return 0;
	return pieces_add(p, piece->at + over, piece->size - over, piece->to + over);
}

unsigned pieces_threads(void)
{
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof cpus, &cpus))
		return 1;
	unsigned n = (unsigned)CPU_COUNT(&cpus);

	return n < THREADS_MAX ? n : THREADS_MAX;
}

struct crew {
	struct pieces *pieces;
	pid_t pid;
	int mem;
	uint64_t until_ns;
	size_t next; /* the next piece that no thread has begun */
	bool late;
};

/* Bytes, or -1. */
static ssize_t read_some(const struct crew *c, taddr at, uint8_t *to, uint64_t size, bool *by_file)
{
	struct iovec local = {to, size}, remote = {(void *)(uintptr_t)at, size};
	ssize_t n = *by_file ? -1 : process_vm_readv(c->pid, &local, 1, &remote, 1, 0);

	if (n < 0 && !*by_file && (errno == EPERM || errno == ENOSYS))
		*by_file = true;
	return n < 0 && *by_file ? pread(c->mem, to, size, (off_t)at) : n;
}

static void copy(const struct crew *c, struct piece *p, bool *by_file)
{
	while (p->got < p->size) {
		ssize_t n = read_some(c, p->at + p->got, p->to + p->got, p->size - p->got, by_file);

		if (n <= 0)
			return;
		p->got += (uint64_t)n;
	}
}

static void *work(void *ctx)
{
	struct crew *c = ctx;
	bool by_file = false; /* use /proc/PID/mem: process_vm_readv(2) is not permitted */

	for (;;) {
		size_t i = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED);

		if (i >= c->pieces->n)
			return NULL;
		if (clock_now_ns() > c->until_ns) {
			__atomic_store_n(&c->late, true, __ATOMIC_RELAXED);
			return NULL;
		}
		copy(c, &c->pieces->v[i], &by_file);
	}
}

/* Start threads, with all signals blocked: those stay with the calling thread. Returns how many
 * there are. */
static unsigned begin(pthread_t *threads, unsigned n, struct crew *c)
{
	sigset_t all, before;
	unsigned i = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (i < n && !pthread_create(&threads[i], NULL, work, c))
		i++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return i;
}

int pieces_copy(struct pieces *p, pid_t pid, int mem, unsigned threads, uint64_t until_ns)
{
	/* A thread costs as much as copying some pieces. */
	enum { PIECES_A_THREAD = 4 };
	struct crew c = {.pieces = p, .pid = pid, .mem = mem, .until_ns = until_ns};
	pthread_t others[THREADS_MAX];
	unsigned n = threads < THREADS_MAX ? threads : THREADS_MAX;

	if (n > p->n / PIECES_A_THREAD)
		n = (unsigned)(p->n / PIECES_A_THREAD);
	n = n > 1 ? begin(others, n - 1, &c) : 0;
	work(&c);
	for (unsigned i = 0; i < n; i++)
		pthread_join(others[i], NULL);
	return c.late ? -ETIME : 0;
}
