/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/kernel.h"

#include "attach/journal.h"
#include "attach/sharing.h"
#include "attach/vfork.h"
#include "proc/stat.h"
#include "proc/tasks.h"

#include <errno.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <time.h>
#include <unistd.h>

static pid_t system_wait(void *ctx, pid_t tid, int *wstatus, int flags)
{
	return journal_wait_for(ctx, tid, wstatus, flags);
}

static long system_request(void *ctx, int request, pid_t tid, void *addr, void *data)
{
	(void)ctx;
	return ptrace((enum __ptrace_request)request, tid, addr, data);
}

static struct proc_status system_status(void *ctx, pid_t tid)
{
	(void)ctx;
	return proc_status(tid);
}

static int system_shares_memory(void *ctx, pid_t a, pid_t b)
{
	(void)ctx;
	return sharing_ask(a, b);
}

static int system_each_task(void *ctx, pid_t pid, int (*visit)(void *arg, pid_t tid), void *arg)
{
	struct proc_tasks tasks;
	int err = pid ? proc_tasks_open(&tasks, pid) : proc_processes_open(&tasks);

	(void)ctx;
	err = err ? -ESRCH : 0;
	for (pid_t tid; !err && (tid = proc_tasks_next(&tasks));)
		err = visit(arg, tid);
	proc_tasks_close(&tasks);
	return err;
}

static struct address_space *system_open_space(void *ctx, pid_t tid)
{
	(void)ctx;
	return address_space_new(tid);
}

static bool system_permits(void *ctx, pid_t pid)
{
	struct address_space *s = address_space_new(pid);
	bool refused = !s && (errno == EACCES || errno == EPERM);

	(void)ctx;
	address_space_free(s);
	return !refused;
}

/* A periodic timer: one that fires once may do so before the wait has begun. */
static void system_wake(void *ctx, uint64_t ns)
{
	static timer_t timer;
	static bool made;
	struct itimerspec every = { .it_value.tv_nsec = (long)ns, .it_interval.tv_nsec = (long)ns };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = KERNEL_WAKES_BY };

	(void)ctx;
	if (!made && (!ns || timer_create(CLOCK_MONOTONIC, &ev, &timer)))
		return;
	made = true;
	timer_settime(timer, 0, &every, NULL);
}

static bool system_sleeps_in_vfork(void *ctx, pid_t tid)
{
	(void)ctx;
	return vfork_sleeps(tid);
}

static bool system_is_worker(void *ctx, pid_t tid)
{
	(void)ctx;
	return procstat_worker(tid);
}

static void system_pause(void *ctx, uint64_t ns)
{
	struct timespec nap = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	(void)ctx;
	if (ns)
		nanosleep(&nap, NULL);
	else
		sched_yield();
}

struct kernel kernel_of_system(struct journal *journal)
{
	return (struct kernel){
		.wait = system_wait,
		.request = system_request,
		.status = system_status,
		.shares_memory = system_shares_memory,
		.each_task = system_each_task,
		.open_space = system_open_space,
		.permits = system_permits,
		.sleeps_in_vfork = system_sleeps_in_vfork,
		.is_worker = system_is_worker,
		.pause = system_pause,
		.wake = system_wake,
		.ctx = journal,
	};
}

bool kernel_says_ours(const struct kernel *k, pid_t tid)
{
	return kernel_status(k, tid).tracer == getpid();
}
