/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaching to memory in which several processes run: clone(2) with CLONE_VM, but no CLONE_THREAD.
 * What is planted is planted for them all. */
#include "attach/tracer_internal.h"

#include <errno.h>
#include <sys/wait.h>

enum {
	LOOKS = 20,
	NAP_NS = 1000000, /* between two looks */
};

struct sharers {
	struct tracer *t;
	pid_t pid, with;	/* a process, and a task of it that lives */
	uint64_t *stopped_ns;
	bool found;
};

struct sleepers {
	const struct tracer *t;
	bool any;
};

static int look_if_asleep(void *arg, pid_t tid)
{
	struct sleepers *s = arg;

	s->any |= kernel_status(&s->t->kernel, tid).state == 'D';
	return 0;
}

/*
 * A thread that is in vfork(2) cannot be stopped before its child has executed a program or ended,
 * and that is held. It is the child's parent, and sleeps undisturbed; as does who waits for a
 * disk, but not for long.
 */
static bool waits_for_child(const struct tracer *t, pid_t pid, pid_t child)
{
	struct sleepers s = { t, true };

	if (kernel_status(&t->kernel, child).ppid != pid)
		return false;
	for (int i = 0; s.any && i < LOOKS; i++) {
		if (i)
			t->kernel.pause(t->kernel.ctx, NAP_NS);
		s.any = false;
		t->kernel.each_task(t->kernel.ctx, pid, look_if_asleep, &s);
	}
	return s.any;
}

static int seize_if_sharing(void *arg, pid_t pid)
{
	struct sharers *s = arg;

	if (pid == s->pid || tasks_find(&s->t->tasks, pid) ||
	    !tracer_shares_memory(s->t, s->with, pid))
		return 0;
	if (waits_for_child(s->t, pid, s->pid))
		return -EDEADLK;
	int err = tracer_seize_process(s->t, pid, s->stopped_ns);
	s->found |= !err;
	return err == -ESRCH ? 0 : err;
}

static bool has_stopped(const struct task *task)
{
	return task->state == TASK_HELD ||
	       (task->state == TASK_QUEUED && WIFSTOPPED(task->wstatus));
}

/* One that has memory still, which a leader has no more when only its threads go on. */
static pid_t living_task(struct tracer *t, pid_t pid)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task->tgid == pid && has_stopped(task))
			return task->tid;
	return 0;
}

int tracer_seize_sharers(struct tracer *t, pid_t pid, uint64_t *stopped_ns)
{
	struct sharers s = { t, pid, living_task(t, pid), stopped_ns, true };
	int err = 0;

	/* Those that have just been found may have made others before they stopped. */
	while (!err && s.with && s.found) {
		s.found = false;
		err = t->kernel.each_task(t->kernel.ctx, 0, seize_if_sharing, &s);
	}
	return err;
}
