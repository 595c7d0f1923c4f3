/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_KERNEL_H
#define MPROF_ATTACH_KERNEL_H

#include "attach/task.h"
#include "proc/status.h"

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

struct journal;

/* The signal that ends a wait: it needs a handler without SA_RESTART. */
#define KERNEL_WAKES_BY SIGURG

/*
 * The kernel as the tracer sees it: what it requests, and what is reported to it. In tests a script
 * takes its place, which can have things happen in any order.
 *
 * wait and request would be enough if ptrace(2) told everything. It does not tell which process a
 * task belongs to and whether it is still our tracee, which tasks share memory and which tasks
 * exist, and it gives no access to a memory that outlives an exec: hence the next four. Nor does it
 * tell whether a task was asleep in vfork(2) when it was seized, whether it is a worker of the
 * kernel's, or whether a task that we may not seize has just ended in an exec: hence three more.
 * And a script has to know that time passes in pause().
 */
struct kernel {
	/* As waitpid(2) with __WALL; @tid -1: any. The one place where the tracer waits for a
	 * task. */
	pid_t (*wait)(void *ctx, pid_t tid, int *wstatus, int flags);
	/* As ptrace(2), with errno. */
	long (*request)(void *ctx, int request, pid_t tid, void *addr, void *data);
	/* As proc_status(). */
	struct proc_status (*status)(void *ctx, pid_t tid);
	/* Do they run in the same memory? 1 or 0, or -errno: that may not be asked. */
	int (*shares_memory)(void *ctx, pid_t a, pid_t b);
	/* Call @visit for each thread of a process, or for each process if @pid is 0, until it
	 * returns something other than 0. Returns that, or -ESRCH if there is no list. Tasks may
	 * come and go meanwhile, see proc/tasks.h. */
	int (*each_task)(void *ctx, pid_t pid, int (*visit)(void *arg, pid_t tid), void *arg);
	/* As address_space_new(). */
	struct address_space *(*open_space)(void *ctx, pid_t tid);
	/* Is something permitted that needs the same right as PTRACE_SEIZE? */
	bool (*permits)(void *ctx, pid_t pid);
	/* Have wait() end with EINTR every @ns from here on; 0: no more. */
	void (*wake)(void *ctx, uint64_t ns);
	/* As vfork_sleeps(). */
	bool (*sleeps_in_vfork)(void *ctx, pid_t tid);
	/* As procstat_worker(). */
	bool (*is_worker)(void *ctx, pid_t tid);
	/* Let others run for @ns; 0: just yield the processor. */
	void (*pause)(void *ctx, uint64_t ns);
	void *ctx;
};

/* The real kernel. What its wait() reports is written into @journal, unless that is NULL. */
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
