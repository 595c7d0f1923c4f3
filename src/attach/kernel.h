/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_KERNEL_H
#define MPROF_ATTACH_KERNEL_H

#include "attach/task.h"
#include "proc/status.h"

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

struct journal;

/* Whoever wants a wait to end sends this signal, which has to have a handler that restarts no
 * call. */
#define KERNEL_WAKES_BY SIGURG

/*
 * The tracer's way to its tasks: what it asks of the kernel, and what the kernel tells it. In
 * tests a script answers instead, which can have things happen in any order.
 *
 * wait and request would do if ptrace(2) told everything. It does not tell to which process a
 * task belongs and whether it is still ours, who shares whose memory and which tasks there are,
 * and it gives no access to a memory that outlives an exec: these are the next four. Nor does it
 * tell of a task that was asleep in vfork(2) when it was seized, or whether who was refused has
 * just ended in an exec: these are two more. And in pause() time passes, which a script has to
 * know.
 */
struct kernel {
	/* As waitpid(2) with __WALL; @tid -1: any. The one place where the tracer waits for a
	 * task. */
	pid_t (*wait)(void *ctx, pid_t tid, int *wstatus, int flags);
	/* As ptrace(2), with errno. */
	long (*request)(void *ctx, int request, pid_t tid, void *addr, void *data);
	/* As proc_status(). */
	struct proc_status (*status)(void *ctx, pid_t tid);
	/* Do they run in the same memory? */
	bool (*shares_memory)(void *ctx, pid_t a, pid_t b);
	/* Call @visit for each thread of a process, or for each process if @pid is 0, until it
	 * does not return 0. Returns what it did, or -ESRCH if there is no list. Tasks may come
	 * and go meanwhile, see proc/tasks.h. */
	int (*each_task)(void *ctx, pid_t pid, int (*visit)(void *arg, pid_t tid), void *arg);
	/* As address_space_new(). */
	struct address_space *(*open_space)(void *ctx, pid_t tid);
	/* Is something that needs the same right as PTRACE_SEIZE not refused? */
	bool (*permits)(void *ctx, pid_t pid);
	/* Have wait() end with EINTR every @ns from here on; 0: no more. */
	void (*wake)(void *ctx, uint64_t ns);
	/* As vfork_sleeps(). */
	bool (*sleeps_in_vfork)(void *ctx, pid_t tid);
	/* Let others run for so long; 0: just let them have the processor. */
	void (*pause)(void *ctx, uint64_t ns);
	void *ctx;
};

/* The kernel that runs us; what it tells is written into @journal; NULL: it is not kept. */
struct kernel kernel_of_system(struct journal *journal);

static inline pid_t kernel_wait(const struct kernel *k, pid_t tid, int *wstatus, int flags)
{
	return k->wait(k->ctx, tid, wstatus, flags);
}

static inline long kernel_request(const struct kernel *k, int request, pid_t tid, void *addr,
				  void *data)
{
	return k->request(k->ctx, request, tid, addr, data);
}

static inline struct proc_status kernel_status(const struct kernel *k, pid_t tid)
{
	return k->status(k->ctx, tid);
}

/* Let a stopped task go on with PTRACE_CONT or its like, and deliver @sig, if that is not 0. */
static inline long kernel_resume(const struct kernel *k, int how, pid_t tid, int sig)
{
	return kernel_request(k, how, tid, NULL, (void *)(intptr_t)sig);
}

/* As is_traced_by_us(). */
bool kernel_says_ours(const struct kernel *k, pid_t tid);

#endif
