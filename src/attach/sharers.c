/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaching to memory in which several processes run: clone(2) with CLONE_VM, but no CLONE_THREAD.
 * What is planted is planted for them all. */
#include "attach/tracer_internal.h"

#include <errno.h>

struct sharers {
	struct tracer *t;
	pid_t pid, with;	/* a process, and a task of it that lives */
	uint64_t *stopped_ns;
	bool found;
};

static int seize_if_sharing(void *arg, pid_t pid)
{
	struct sharers *s = arg;

	if (pid == s->pid || tasks_find(&s->t->tasks, pid) ||
	    !tracer_shares_memory(s->t, s->with, pid))
		return 0;
	int err = tracer_seize_and_hold(s->t, pid, s->stopped_ns);
	if (err && err != -ESRCH)
		return err;
	/* It has ended, or has executed a program meanwhile and no longer shares this memory. */
	if (err || !tracer_shares_memory(s->t, s->with, pid))
		tracer_let_stopped_go(s->t, pid);
	else
		s->found = true;
	return 0;
}

/* A stopped task, which still has its memory: a leader that has ended has none, though its threads
 * go on. */
static pid_t living_task(struct tracer *t, pid_t pid)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task->tgid == pid && task_has_stopped(task))
			return task->tid;
	return 0;
}

int tracer_seize_sharers(struct tracer *t, pid_t pid, uint64_t *stopped_ns)
{
	struct sharers s = { t, pid, living_task(t, pid), stopped_ns, true };
	int err = 0;

	/* Processes that have just been found may have created others before they stopped. */
	while (!err && s.with && s.found) {
		s.found = false;
		err = t->kernel.each_task(t->kernel.ctx, 0, seize_if_sharing, &s);
	}
	return err;
}

void tracer_enter_with_sharers(struct tracer *t, struct address_space *s)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (!task->space && !task->fresh)
			tracer_enter_space(task, s);
}

void tracer_give_back(struct tracer *t, pid_t pid)
{
	struct task *task;
	pid_t last = 0;

	tracer_detach_process(t, pid);
	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));) {
		if (task->space || task->fresh || task->tgid == last)
			continue;
		last = task->tgid;
		tracer_detach_process(t, last);
		i = 0; /* the table has changed */
	}
}
