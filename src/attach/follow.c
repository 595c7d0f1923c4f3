/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/follow.h"

#include "base/clock.h"
#include "base/reap.h"
#include "proc/file.h"
#include "proc/stat.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	STOPS = 64,		/* of one task in a row: then it is followed, and its processor read
				   again */
	LOOK_NS = 5000000,	/* between two readings of who waits for whom */
	PAUSE_NS = 200000000,	/* after starving once; doubled each time */
};
static const uint64_t max_pause_ns = 10000000000;

/* What the scheduler tells about a task, proc(5): /proc/PID/stat and schedstat, kept open. */
struct books {
	pid_t tid;
	int stat, schedstat;
};

struct follow {
	bool on;
	cpu_set_t all;			/* the processors we may run on */
	struct books own, task;
	int cpu;			/* the processor both are on */
	pid_t last;			/* the task that made the last stop */
	struct follow_counts counts;
	unsigned in_row;		/* stops of this task without one of another */
	uint64_t looked_ns, not_before_ns, pause_ns;
	uint64_t waited_ns, ran_ns;	/* at the last reading */
};

/* ---- the scheduler's books ---- */

static void close_books(struct books *b)
{
	if (b->stat >= 0)
		close(b->stat);
	if (b->schedstat >= 0)
		close(b->schedstat);
	*b = (struct books){ .stat = -1, .schedstat = -1 };
}

static bool open_books(struct books *b, pid_t tid)
{
	*b = (struct books){ tid, proc_open(tid, "stat", O_RDONLY),
			      proc_open(tid, "schedstat", O_RDONLY) };
	if (b->stat >= 0 && b->schedstat >= 0)
		return true;
	close_books(b);
	return false;
}

static int read_processor(int stat)
{
	char line[1024];

	if (proc_pread(stat, line, sizeof line) <= 0)
		return -1;
	const char *at = procstat_field(line, PROCSTAT_PROCESSOR);
	return at ? atoi(at) : -1;
}

int follow_processor_of(pid_t tid)
{
	int stat = proc_open(tid, "stat", O_RDONLY), cpu = stat < 0 ? -1 : read_processor(stat);

	if (stat >= 0)
		close(stat);
	return cpu;
}

/* Take a reading; *l is what has passed since the last one. False: the kernel does not tell. */
static bool look(struct follow *f, struct follow_look *l)
{
	uint64_t ran, waited, unused;

	if (!procstat_times(f->own.schedstat, &unused, &waited) ||
	    !procstat_times(f->task.schedstat, &ran, &unused))
		return false;
	*l = (struct follow_look){ waited - f->waited_ns, ran - f->ran_ns };
	f->waited_ns = waited;
	f->ran_ns = ran;
	f->looked_ns = clock_tick_ns();
	return true;
}

bool follow_starves(const struct follow_look *l)
{
	return l->waited > l->ran && l->waited - l->ran > l->ran / 2;
}

/* ---- going there, and back ---- */

static bool set_policy(int policy)
{
	struct sched_param none = { 0 };

	return !sched_setscheduler(0, policy, &none);
}

/* The one that is on; a process has one tracer. */
static struct follow *following;

/* A child that we fork while we follow, to write a profile, must not inherit SCHED_IDLE.
 * SCHED_RESET_ON_FORK does not prevent that: it only resets real-time policies and high
 * priorities. */
static void be_ordinary_in_child(void)
{
	follow_leave(following);
}

static bool go_to(struct follow *f, int cpu)
{
	cpu_set_t one;

	if (cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &f->all))
		return false;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof one, &one))
		return false;
	f->cpu = cpu;
	return true;
}

void follow_leave(struct follow *f)
{
	if (!f || !f->on)
		return;
	set_policy(SCHED_OTHER);
	sched_setaffinity(0, sizeof f->all, &f->all);
	f->on = false;
	f->in_row = 0;
	following = NULL;
}

static void pause_for_a_while(struct follow *f)
{
	f->counts.given_up++;
	follow_leave(f);
	close_books(&f->task); /* its tid may be another task's by then */
	f->pause_ns = f->pause_ns ? f->pause_ns * 2 : PAUSE_NS;
	if (f->pause_ns > max_pause_ns)
		f->pause_ns = max_pause_ns;
	f->not_before_ns = clock_tick_ns() + f->pause_ns;
}

static void enter(struct follow *f)
{
	struct follow_look unused;

	if (f->task.tid != f->last) {
		close_books(&f->task);
		if (!open_books(&f->task, f->last))
			return;
	}
	f->on = true;
	f->counts.begun++;
	following = f;
	if (!look(f, &unused) || !go_to(f, read_processor(f->task.stat)) || !set_policy(SCHED_IDLE))
		pause_for_a_while(f);
}

/* Without privilege a process may not be able to leave SCHED_IDLE, sched(7): try it in a child. */
static bool can_come_back(void)
{
	int wstatus = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(set_policy(SCHED_IDLE) && set_policy(SCHED_OTHER) ? 0 : 1);
	if (pid > 0)
		reap(pid, &wstatus);
	return pid > 0 && wstatus == 0;
}

/* Some kernels have the file, but with zeros only. We have run, so our time is not zero; it is
 * accounted when another task is scheduled. */
static bool are_kept(const struct books *own)
{
	static const struct timespec nap = { .tv_nsec = 1000 };
	uint64_t ran, waited;

	nanosleep(&nap, NULL);
	return procstat_times(own->schedstat, &ran, &waited) && ran;
}

static bool watch_forks(void)
{
	static bool watched;

	watched = watched || !pthread_atfork(NULL, NULL, be_ordinary_in_child);
	return watched;
}

struct follow *follow_new(void)
{
	struct follow *f = calloc(1, sizeof *f);

	if (!f)
		return NULL;
	f->task = (struct books){ .stat = -1, .schedstat = -1 };
	if (!open_books(&f->own, getpid()) || !are_kept(&f->own) ||
	    sched_getaffinity(0, sizeof f->all, &f->all) || sched_getscheduler(0) != SCHED_OTHER ||
	    !can_come_back() || !watch_forks()) {
		follow_free(f);
		return NULL;
	}
	return f;
}

void follow_free(struct follow *f)
{
	if (!f)
		return;
	follow_leave(f);
	close_books(&f->own);
	close_books(&f->task);
	free(f);
}

struct follow_counts follow_counts(const struct follow *f)
{
	return f ? f->counts : (struct follow_counts){ 0 };
}

bool follow_is_on(const struct follow *f)
{
	return f && f->on;
}

static void keep_on(struct follow *f)
{
	struct follow_look l;

	if (f->in_row % STOPS == 0) {
		int cpu = read_processor(f->task.stat);

		if (cpu != f->cpu && !go_to(f, cpu)) {
			pause_for_a_while(f);
			return;
		}
	}
	if (clock_tick_ns() - f->looked_ns < LOOK_NS)
		return;
	if (!look(f, &l) || follow_starves(&l))
		pause_for_a_while(f);
}

void follow_stopped(struct follow *f, pid_t tid)
{
	if (!f)
		return;
	if (tid != f->last) {
		follow_leave(f);
		f->last = tid;
		f->in_row = 0;
	}
	f->in_row++;
	if (f->on)
		keep_on(f);
	else if (f->in_row % STOPS == 0 && clock_tick_ns() >= f->not_before_ns)
		enter(f);
}
