/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two rings of io_uring, one with a kernel thread that polls it, each with requests that wait in
 * kernel workers: a read from a pipe, and a splice from another one. A thread allocates and frees
 * all the time, and "report" prints how often. "release" lets the requests end, and prints what is
 * wrong with their results. With an argument it only says by its status whether io_uring may be
 * used: 77 if not.
 */
#include "live.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { SIZE = 3361, REQUESTS = 2, RINGS = 2, NOT_PERMITTED = 77 };

struct ring {
	int fd;
	struct io_uring_params p;
	uint8_t *sq, *cq;
	struct io_uring_sqe *sqes;
	int in[REQUESTS][2], out[2];
	char byte;
};

static struct ring rings[RINGS];
static atomic_bool over;
static atomic_ulong pairs;

static atomic_uint *word(uint8_t *at, unsigned offset)
{
	return (atomic_uint *)(void *)(at + offset);
}

static bool open_ring(struct ring *r, unsigned flags)
{
	r->p = (struct io_uring_params){ .flags = flags, .sq_thread_idle = 10 };
	r->fd = (int)syscall(SYS_io_uring_setup, 8, &r->p);
	return r->fd >= 0;
}

static void *map(const struct ring *r, size_t size, uint64_t offset)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd,
			(off_t)offset);

	MUST(at != MAP_FAILED);
	return at;
}

static void map_ring(struct ring *r)
{
	r->sq = map(r, r->p.sq_off.array + r->p.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
	r->cq = map(r, r->p.cq_off.cqes + r->p.cq_entries * sizeof(struct io_uring_cqe),
		    IORING_OFF_CQ_RING);
	r->sqes = map(r, r->p.sq_entries * sizeof *r->sqes, IORING_OFF_SQES);
}

static void ask(struct ring *r, const struct io_uring_sqe *sqe)
{
	atomic_uint *tail = word(r->sq, r->p.sq_off.tail);
	unsigned i = *tail & *word(r->sq, r->p.sq_off.ring_mask);

	r->sqes[i] = *sqe;
	*word(r->sq, r->p.sq_off.array + i * (unsigned)sizeof i) = i;
	++*tail;
	if (!(r->p.flags & IORING_SETUP_SQPOLL))
		MUST(syscall(SYS_io_uring_enter, r->fd, 1, 0, 0, NULL, 0) == 1);
	else if (*word(r->sq, r->p.sq_off.flags) & IORING_SQ_NEED_WAKEUP)
		syscall(SYS_io_uring_enter, r->fd, 1, 0, IORING_ENTER_SQ_WAKEUP, NULL, 0);
}

/* Each waits in a worker, as nothing is in the pipes yet. */
static void begin_requests(struct ring *r)
{
	const struct io_uring_sqe read_it = {
		.opcode = IORING_OP_READ, .flags = IOSQE_ASYNC, .fd = r->in[0][0],
		.addr = (uint64_t)(uintptr_t)&r->byte, .len = 1, .off = UINT64_MAX, .user_data = 0,
	};
	const struct io_uring_sqe splice_it = {
		.opcode = IORING_OP_SPLICE, .flags = IOSQE_ASYNC, .fd = r->out[1],
		.splice_fd_in = r->in[1][0], .splice_off_in = UINT64_MAX, .off = UINT64_MAX,
		.len = 1, .user_data = 1,
	};

	ask(r, &read_it);
	ask(r, &splice_it);
}

static bool is_done(const struct ring *r, unsigned n)
{
	return *word(r->cq, r->p.cq_off.tail) >= n;
}

static void await_requests(const struct ring *r, size_t ring)
{
	const struct io_uring_cqe *cqes = (const void *)(r->cq + r->p.cq_off.cqes);

	while (!is_done(r, REQUESTS))
		usleep(1000);
	for (unsigned i = 0; i < REQUESTS; i++)
		if (cqes[i].res != 1)
			say("BROKEN ring %zu request %d: %d\n", ring, (int)cqes[i].user_data,
			    cqes[i].res);
}

static void release(const char *what)
{
	MUST(!strcmp(what, "release"));
	for (size_t i = 0; i < RINGS; i++)
		for (size_t k = 0; k < REQUESTS; k++)
			MUST(write(rings[i].in[k][1], "x", 1) == 1);
	for (size_t i = 0; i < RINGS; i++)
		await_requests(&rings[i], i);
	say("released\n");
}

static void report(void)
{
	say("report %lu pairs\n", (unsigned long)pairs);
}

static void *work(void *arg)
{
	while (!over) {
		free(fill(malloc(SIZE), SIZE, 1));
		pairs++;
		usleep(1000);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t worker;

	(void)argv;
	if (!open_ring(&rings[0], 0) || !open_ring(&rings[1], IORING_SETUP_SQPOLL))
		return NOT_PERMITTED;
	if (argc > 1)
		return 0;
	for (size_t i = 0; i < RINGS; i++) {
		map_ring(&rings[i]);
		MUST(!pipe(rings[i].in[0]) && !pipe(rings[i].in[1]) && !pipe(rings[i].out));
		begin_requests(&rings[i]);
	}
	MUST(!pthread_create(&worker, NULL, work, NULL));
	live_serve(report, release);
	over = true;
	MUST(!pthread_join(worker, NULL));
	say("iouring: done\n");
	return 0;
}
