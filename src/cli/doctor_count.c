/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mprof doctor --count: how often a process calls what would be trapped. The kernel counts by
 * uprobes, breakpoints that it handles itself without stopping for a tracer. Also measures the cost
 * of a stop on this machine, with a child of our own.
 */
#include "cli/doctor.h"
#include "cli/limits.h"

#include "base/array.h"
#include "base/clock.h"
#include "probes/outcome.h"
#include "proc/file.h"
#include "proc/tasks.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct counter {
	int fd;
	unsigned stops; /* per call: at its entry, and maybe at its return */
};

struct counting {
	struct counter *v;
	size_t n, cap;
	uint32_t type;
};

/* Open a counter for a thread and those that it creates. */
static int open_counter(uint32_t type, pid_t tid, const char *path, uint64_t offset)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof attr,
		.config1 = (uint64_t)(uintptr_t)path, /* uprobe_path */
		.config2 = offset,		      /* probe_offset */
		.inherit = 1,
		.inherit_thread = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int add_counter(struct counting *c, pid_t tid, const char *path, uint64_t offset,
		       unsigned stops)
{
	if (ARRAY_RESERVE(&c->v, &c->cap, c->n))
		return -ENOMEM;
	int fd = open_counter(c->type, tid, path, offset);

	if (fd == -ESRCH)
		return 0;
	if (fd < 0)
		return fd;
	c->v[c->n++] = (struct counter){fd, stops};
	return 0;
}

/* Open counters in all threads. */
static int count_function(const struct doctor *d, struct counting *c,
			  const struct trapped_function *p)
{
	struct proc_tasks tasks;
	const unsigned stops = probe_gives_block(doctor_probe(d, p)) ? 2 : 1;
	uint64_t offset, left;
	char path[64];
	int err = 0;

	if (!code_offset(&d->code[p->file], p->at, &offset, &left))
		return 0;
	/* Use the file that is mapped, whatever its name is now. */
	snprintf(path, sizeof path, "/proc/self/fd/%d", d->files.files[p->file].fd);
	err = proc_tasks_open(&tasks, d->pid) ? -ESRCH : 0;
	for (pid_t tid; !err && (tid = proc_tasks_next(&tasks));)
		err = add_counter(c, tid, path, offset, stops);
	proc_tasks_close(&tasks);
	return err;
}

static int open_all(const struct doctor *d, struct counting *c)
{
	int type = proc_number("/sys/bus/event_source/devices/uprobe/type", -1), err = 0;

	if (type < 0)
		return -ENOENT;
	c->type = (uint32_t)type;
	for (size_t i = 0; !err && i < d->trapped.n; i++) {
		const struct trapped_function *p = &d->trapped.v[i];

		if (probe_tells_of_blocks(doctor_probe(d, p)) && !p->indirect)
			err = count_function(d, c, p);
	}
	return err;
}

/* Read the calls since each counter was opened. */
static void read_all(const struct counting *c, struct cost_facts *f)
{
	uint64_t calls;

	for (size_t i = 0; i < c->n; i++)
		if (read(c->v[i].fd, &calls, sizeof calls) == sizeof calls) {
			f->calls += calls;
			f->stops += calls * c->v[i].stops;
		}
}

static void nap(double seconds)
{
	struct timespec t = {.tv_sec = (time_t)seconds};

	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	nanosleep(&t, NULL);
}

/* ---- what a stop costs ---- */

enum { STOPS = 2000 };

__attribute__((noreturn)) static void stop_again_and_again(void)
{
	/* Die with the parent, instead of staying stopped. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		for (;;)
			raise(SIGSTOP);
	_exit(1);
}

/* Cost of a stop in ns; 0: it cannot be measured. */
static double measure_stop(void)
{
	pid_t pid = fork();
	uint64_t began = 0;
	bool stopped = pid > 0;
	int status, n;

	if (pid == 0)
		stop_again_and_again();
	for (n = 0; stopped && n < STOPS; n++) {
		stopped = waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);
		began = began ? began : clock_now_ns();
		ptrace(PTRACE_CONT, pid, NULL, NULL);
	}
	uint64_t ns = clock_now_ns() - began;

	/* If it has ended, its pid may be reused. */
	if (stopped) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	return stopped ? (double)ns / STOPS : 0;
}

/* ---- all of it ---- */

static void why_not_counted(int err, struct error *why)
{
	if (err == -ENOENT)
		error_set(why, err, "this kernel has no uprobe events");
	else if (err == -EACCES || err == -EPERM)
		error_set(why, err, "not permitted (it takes CAP_PERFMON, or root)");
	else if (err == -EMFILE)
		error_set(why, err, "it has too many threads for so many counters (ulimit -n)");
	else if (err == -ESRCH)
		error_set(why, err, "it has ended");
	else
		error_set(why, err, "%s", strerror(-err));
}

/* @c: some are open. Opening takes time, during which they count already. */
static void count(const struct counting *c, double seconds, struct cost_facts *f)
{
	struct cost_facts before = {0};
	uint64_t began = clock_now_ns();

	read_all(c, &before);
	nap(seconds);
	f->seconds = (double)(clock_now_ns() - began) / 1e9;
	read_all(c, f);
	f->calls -= before.calls;
	f->stops -= before.stops;
}

void doctor_count(const struct doctor *d, struct cost_facts *f, struct error *why)
{
	struct counting c = {0};

	*f = (struct cost_facts){.asked = true, .stop_ns = measure_stop()};
	limits_raise_open_files();
	int err = open_all(d, &c);

	if (f->stop_ns <= 0)
		error_set(why, 0, "no child of ours could be traced, to see what a stop costs");
	else if (err)
		why_not_counted(err, why);
	else if (!c.n)
		error_set(why, 0, "none of its functions has a place in a file to count at");
	else
		count(&c, d->o->count_seconds, f);
	f->why_not = why->text;
	for (size_t i = 0; i < c.n; i++)
		close(c.v[i].fd);
	free(c.v);
}
