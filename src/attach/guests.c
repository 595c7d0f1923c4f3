/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attaching to a process in which threads sleep in vfork(2). They cannot be stopped, and are not
 * waited for: they run nothing before their children have gone, and stop then. The children run in
 * the same memory, so they are seized before anything is put into it.
 */
#include "attach/tracer_internal.h"

#include <errno.h>

enum { SLEEPERS_TRIES = 1000 };	/* of a millisecond or so */

/* Was the task asleep in vfork(2) when it was seized, a moment ago? */
static bool is_sleeper(const struct task *task)
{
	return task->in_vfork && task->silent && !task->space;
}

struct guests {
	struct tracer *t;
	pid_t host;
	uint64_t *stopped_ns;
	pid_t sleeper;	/* a thread that sleeps in vfork(2); 0: there is none */
	unsigned sleepers, n;
	bool more;	/* one was seized in this round */
};

static void count_sleepers(struct guests *g)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&g->t->tasks, &i));)
		if (is_sleeper(task)) {
			g->sleeper = task->tid;
			g->sleepers++;
		}
}

static bool is_guest(const struct guests *g, pid_t pid)
{
	return pid != g->host && tracer_shares_memory(g->t, g->sleeper, pid);
}

static int seize_guest(void *arg, pid_t pid)
{
	struct guests *g = arg;

	if (!is_guest(g, pid))
		return 0;
	bool is_new = !tasks_find(&g->t->tasks, pid);
	int err = tracer_seize_all(g->t, pid, g->stopped_ns);

	if (err && err != -ESRCH)
		return err;
	/* It has ended, or has executed a program meanwhile and no longer shares this memory. */
	if (err || !is_guest(g, pid)) {
		tracer_let_stopped_go(g->t, pid);
		return 0;
	}
	g->n++;
	g->more |= is_new;
	return 0;
}

/* Seize all of them, and their own guests. 0 or -errno. *@all: there is a child for each sleeping
 * thread. */
static int seize_guests(struct tracer *t, pid_t host, uint64_t *stopped_ns, bool *all)
{
	struct guests g;
	int err = 0;

	do {
		g = (struct guests){ .t = t, .host = host, .stopped_ns = stopped_ns };
		count_sleepers(&g);
		if (g.sleepers)
			err = t->kernel.each_task(t->kernel.ctx, 0, seize_guest, &g);
	} while (!err && g.more);
	*all = g.n >= g.sleepers;
	return err;
}

static void await_sleepers(struct tracer *t)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (is_sleeper(task))
			task->in_vfork = false;
	tracer_hold(t, NULL, NULL);
}

int tracer_seize_with_guests(struct tracer *t, pid_t pid, uint64_t *stopped_ns)
{
	bool all = false;
	int err = tracer_seize_all(t, pid, stopped_ns);

	for (int i = 0; !err && !all && i < SLEEPERS_TRIES; i++) {
		if (i)
			await_sleepers(t);
		err = seize_guests(t, pid, stopped_ns, &all);
	}
	return err || all ? err : -EAGAIN;
}

void tracer_enter_with_guests(struct tracer *t, pid_t pid, struct address_space *s)
{
	struct guests g = { .t = t, .host = pid };
	struct task *task;

	count_sleepers(&g);
	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));) {
		if (task->space || task->fresh)
			continue;
		if (task->tgid == pid ||
		    (g.sleepers && tracer_shares_memory(t, g.sleeper, task->tid)))
			tracer_enter_space(task, s);
	}
}
