/* SPDX-License-Identifier: BSD-2-Clause */
/* New tasks and new programs: launch, clone, fork, vfork, exec. Attaching is in seize.c. */
#include "attach/tracer_internal.h"

#include "attach/damage.h"
#include "attach/permission.h"
#include "attach/sharing.h"
#include "attach/untold.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/sigchld.h"
#include "base/writeall.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- launch ---- */

struct launch_pipes {
	int go[2];	/* parent -> child: you are being traced, so exec */
	int err[2];	/* child -> parent: errno of execve; closed by an exec that works */
};

static void close_pair(int fd[2])
{
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

__attribute__((noreturn)) static void child_main(struct launch_pipes *p, const char *path,
						 char *const argv[])
{
	ssize_t n;
	char c;

	close(p->go[1]);
	while ((n = read(p->go[0], &c, 1)) < 0 && errno == EINTR)
		;
	if (n != 1) /* the tracer has died */
		_exit(126);
	sigchld_as_before();
	execv(path, argv);
	int err = errno;
	if (write_all(p->err[1], &err, sizeof err))
		_exit(126);
	_exit(127);
}

static void reap(struct tracer *t, pid_t pid)
{
	int wstatus;

	while (kernel_wait(&t->kernel, pid, &wstatus, 0) < 0 && errno == EINTR)
		;
	journal_noted(t->journal);
}

/* Wait for the exec; on success the child is stopped at it, and that stop is queued. */
static int wait_for_exec(struct tracer *t, pid_t pid, int err_fd, const char *name, struct error *e)
{
	int wstatus, exec_err;

	for (;;) {
		pid_t got = kernel_wait(&t->kernel, pid, &wstatus, 0);
		int err = got < 0 ? -errno : 0;

		if (err == -EINTR)
			continue;
		if (err)
			return error_set(e, err, "cannot run %s: it cannot be waited for: %s", name,
					 strerror(-err));
		if (WIFSTOPPED(wstatus) && wstatus >> 16 == PTRACE_EVENT_EXEC) {
			err = tracer_note(t, pid, wstatus);
			return err ? error_set(e, err, "cannot run %s: %s", name, strerror(-err)) :
				     0;
		}
		journal_noted(t->journal);
		if (!WIFSTOPPED(wstatus))
			break;
		/* A signal sent to the child before the exec: deliver it. */
		int sig = wstatus >> 16 ? 0 : WSTOPSIG(wstatus);
		kernel_resume(&t->kernel, PTRACE_CONT, pid, sig);
	}
	if (read(err_fd, &exec_err, sizeof exec_err) == sizeof exec_err)
		return launch_refused(name, exec_err, e);
	return launch_ended(name, wstatus, e);
}

/* Our own child cannot be traced: set the sentence. Returns @err. */
static int refuse_launch(const char *name, int err, struct error *e)
{
	struct permission_facts f = permission_look(getpid());
	struct advice a;
	struct error why;

	if (err != -EPERM || !permission_forbids_all(f.yama, f.can_trace, &a))
		return error_set(e, err, "cannot trace %s: %s (is ptrace allowed here?)", name,
				 strerror(-err));
	advice_sentence(&a, &why);
	return error_set(e, err, "cannot trace %s: %s", name, why.text);
}

static int seize_and_exec(struct tracer *t, pid_t pid, struct launch_pipes *p, const char *name,
			  struct error *e)
{
	if (kernel_request(&t->kernel, PTRACE_SEIZE, pid, NULL, tracer_options(t))) {
		int err = -errno;
		kill(pid, SIGKILL);
		reap(t, pid);
		return refuse_launch(name, err, e);
	}
	struct task *task = tasks_add(&t->tasks, pid);
	if (!task || write_all(p->go[1], "", 1)) {
		kill(pid, SIGKILL);
		reap(t, pid);
		return error_set(e, -ENOMEM, "cannot run %s: out of memory", name);
	}
	task->tgid = pid;
	close(p->err[1]);
	p->err[1] = -1;
	int err = wait_for_exec(t, pid, p->err[0], name, e);
	if (err && tasks_find(&t->tasks, pid))
		tasks_remove(&t->tasks, task);
	return err;
}

pid_t tracer_launch(struct tracer *t, const char *path, char *const argv[], struct error *e)
{
	struct launch_pipes p = { { -1, -1 }, { -1, -1 } };
	pid_t pid = -1;
	int err = 0;

	if (pipe2(p.go, O_CLOEXEC) || pipe2(p.err, O_CLOEXEC) || (pid = fork()) < 0)
		err = error_set(e, -errno, "cannot start %s: %s", path, strerror(errno));
	else if (pid == 0)
		child_main(&p, path, argv);
	else
		err = seize_and_exec(t, pid, &p, path, e);
	close_pair(p.go);
	close_pair(p.err);
	return err ? err : pid;
}

/* ---- placing a new task: its process and its memory ---- */

bool tracer_shares_memory(const struct tracer *t, pid_t a, pid_t b)
{
	int answer = t->kernel.shares_memory(t->kernel.ctx, a, b);

	return answer < 0 ? sharing_try(a, b) : answer;
}

static struct task *task_of_group(struct tracer *t, pid_t tgid)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (task->tgid == tgid && task->space)
			return task;
	return NULL;
}

/* A detach failed: has the task been killed? Then it remains our tracee until it has been waited
 * for, and another thread's exec waits for that. */
static bool is_dying(const struct tracer *t, pid_t tid)
{
	return errno == ESRCH && kernel_says_ours(&t->kernel, tid);
}

void tracer_let_go(struct tracer *t, struct task *task, int sig)
{
	journal_goes_on(t->journal, task->journal_record);
	if (kernel_resume(&t->kernel, PTRACE_DETACH, task->tid, sig) && is_dying(t, task->tid)) {
		task->state = TASK_RUNNING;
		return;
	}
	tracer_forget(t, task);
}

/*
 * Give a new, stopped task its thread group and space: it is a thread, or a process in its parent's
 * memory (vfork), or one with a copy of it (fork). False: it has been detached.
 */
static bool place(struct tracer *t, struct task *task, const struct task *parent,
		  struct address_space *space)
{
	pid_t tgid = kernel_status(&t->kernel, task->tid).tgid;

	task->fresh = false;
	task->tgid = tgid ? tgid : task->tid;
	if (task->tgid != task->tid || tracer_born_sharing(t, task, parent, space)) {
		tracer_enter_space(task, space);
		if (task->tgid != task->tid)
			t->ops->thread(t->ctx, task);
		return true;
	}
	struct new_copy copy;
	struct address_space *own = tracer_open_copy(t, task, space, &copy);
	if (!own)
		return tracer_let_copy_go(t, task, space, &copy);
	tracer_enter_space(task, own);
	journal_copies(t->journal, task->tgid);
	bool stays = t->ops->forked(t->ctx, task, parent, space);
	journal_copied(t->journal, task->tgid);
	if (stays)
		return true;
	tracer_let_go(t, task, 0);
	return false;
}

bool tracer_serve_fresh(struct tracer *t, struct task *task)
{
	pid_t tgid = kernel_status(&t->kernel, task->tid).tgid;
	struct task *sibling = tgid && tgid != task->tid ? task_of_group(t, tgid) : NULL;
	if (sibling)
		return place(t, task, sibling, sibling->space);
	task->state = TASK_PARKED;
	return false;
}

/* Queue a parked task's first stop, which can be served now that the task has been placed. */
static void unpark(struct tracer *t, struct task *task)
{
	tracer_note(t, task->tid, task->wstatus);
}

/* Wait for the first stop of a new task. NULL: it was killed before. */
static struct task *await_birth(struct tracer *t, pid_t child)
{
	int wstatus;
	pid_t got;

	do
		got = kernel_wait(&t->kernel, child, &wstatus, 0);
	while (got < 0 && errno == EINTR);
	if (got != child || tracer_note(t, child, wstatus))
		return NULL;
	return tasks_find(&t->tasks, child);
}

/*
 * A child is placed before its parent is resumed: it starts with a copy of what is recorded of the
 * parent now, not of what the parent does afterwards.
 */
static void birth(struct tracer *t, struct task *parent, pid_t child)
{
	struct task *task = tasks_find(&t->tasks, child);

	if (task && !task->fresh)
		return; /* a thread that was adopted when its first stop came */
	/* Detached in the meantime, or killed before its first stop? Then no stop will come. */
	if (!task && !kernel_says_ours(&t->kernel, child))
		return;
	if (!task && !(task = await_birth(t, child)))
		return;
	bool parked = task->state == TASK_PARKED;

	if (place(t, task, parent, parent->space) && parked)
		unpark(t, task);
}

/* Is it a new process whose first stop has come, but of which no event has told yet? */
static bool is_untold(const struct tracer *t, const struct task *task)
{
	return task->fresh && WIFSTOPPED(task->wstatus) &&
	       kernel_status(&t->kernel, task->tid).tgid == task->tid;
}

static int await_if_unheard(void *arg, pid_t pid)
{
	struct tracer *t = arg;

	if (!tasks_find(&t->tasks, pid) && kernel_says_ours(&t->kernel, pid))
		await_birth(t, pid);
	return 0;
}

/* Wait for the processes that are our tracees but unknown so far. All of /proc is searched, for no
 * event will tell their pids. */
static void await_unheard(struct tracer *t)
{
	t->kernel.each_task(t->kernel.ctx, 0, await_if_unheard, t);
}

static void place_untold(struct tracer *t, struct task *task, const struct task *parent)
{
	bool parked = task->state == TASK_PARKED;

	if (place(t, task, parent, parent->space) && parked)
		unpark(t, task);
}

static bool is_telling(const struct kernel *k, const struct task *task, pid_t child)
{
	unsigned long msg = 0;

	if (!stops_for_birth(task))
		return false;
	bool answered = !kernel_request(k, PTRACE_GETEVENTMSG, task->tid, NULL, &msg);
	return may_tell_of(&(struct told_of){ answered, (pid_t)msg }, child);
}

/*
 * Will the process that is its parent now still report the child by an event? It may be a reaper
 * that has inherited the orphan from @dead. When all threads of the parent are stopped, one that
 * has created a child has the event to report.
 */
static bool will_be_told(struct tracer *t, const struct task *child, const struct task *dead)
{
	struct task *parent = task_of_group(t, kernel_status(&t->kernel, child->tid).ppid);
	struct task *task;
	bool told = false;

	if (!parent || parent == dead)
		return false;
	if (!tracer_still(t, parent->space))
		return true;
	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		told |= task->space == parent->space && is_telling(&t->kernel, task, child->tid);
	tracer_stir(t);
	return told;
}

static struct task *orphan(struct tracer *t, const struct task *dead)
{
	struct task *task;
	size_t n = t->tasks.n;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));) {
		if (is_untold(t, task) && !will_be_told(t, task, dead))
			return task;
		if (t->tasks.n != n) /* new tasks were added meanwhile: the table has changed */
			i = 0;
		n = t->tasks.n;
	}
	return NULL;
}

void tracer_place_orphans(struct tracer *t, const struct task *dead)
{
	struct task *task;

	if (!may_leave_untold(dead))
		return;
	await_unheard(t);
	while ((task = orphan(t, dead)))
		place_untold(t, task, dead);
}

static struct task *left_behind(struct tracer *t, pid_t parent)
{
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i));)
		if (is_untold(t, task) &&
		    kernel_status(&t->kernel, task->tid).ppid == parent)
			return task;
	return NULL;
}

/* @task has made an exec and is the only thread left; its old space is still known. Place the
 *       children of the threads that the exec has ended. */
static void place_left_behind(struct tracer *t, const struct task *task)
{
	struct task *child;

	await_unheard(t);
	while ((child = left_behind(t, task->tid)))
		place_untold(t, child, task);
}

/* ---- exec ---- */

/* Forget the threads that an exec has ended; waitpid does not report all of them. True: there were
 * some. */
static bool drop_other_threads(struct tracer *t, const struct task *task)
{
	struct task *other;
	bool any = false;

	for (size_t i = 0; (other = tasks_next(&t->tasks, &i));) {
		if (other == task || other->tgid != task->tid)
			continue;
		tracer_forget(t, other);
		i = 0; /* the table has changed */
		any = true;
	}
	return any;
}

void tracer_take_over(struct tracer *t, struct task *task)
{
	const struct task *sibling = task->space ? NULL : task_of_group(t, task->tid);

	/* A seized thread may take over the tid of a leader that was not seized. */
	if (sibling)
		tracer_enter_space(task, sibling->space);
	task->fresh = false;
	task->in_vfork = task->over = false; /* these were about the old leader, which is gone */
	task->tgid = task->tid;
	if (drop_other_threads(t, task) && task->space)
		place_left_behind(t, task);
}

void tracer_take_overs(struct tracer *t)
{
	struct task *task;

	while (t->taking_over) {
		t->taking_over = false;
		for (size_t i = 0; (task = tasks_next(&t->tasks, &i));) {
			if (!task->takes_over)
				continue;
			task->takes_over = false;
			tracer_take_over(t, task);
			i = 0; /* the table has changed */
		}
	}
}

static bool serve_exec(struct tracer *t, struct task *task)
{
	/* The system call that ends next is the exec, whatever call the old leader of this tid was
	 * in. */
	task->call.inside = false;
	task->mask = (struct mask_watch){ 0 };
	if (task->space)
		tracer_leave_space(t, task);
	struct address_space *s = t->kernel.open_space(t->kernel.ctx, task->tid);
	int err = s ? 0 : errno;

	if (!s && tracer_has_died(t, task, err)) /* killed in the exec */
		return true;
	if (!s) {
		t->ops->unfollowed(t->ctx, task, NULL, -err);
		tracer_let_go(t, task, 0);
		return false;
	}
	tracer_enter_space(task, s);
	if (t->ops->image(t->ctx, task))
		return true;
	tracer_let_go(t, task, 0);
	return false;
}

bool tracer_serve_event(struct tracer *t, struct task *task, int event)
{
	unsigned long msg = 0;

	if (event == PTRACE_EVENT_EXEC)
		return serve_exec(t, task);
	task->in_vfork = event == PTRACE_EVENT_VFORK;
	/* Its process was detached while it slept in vfork(2). */
	if (event == PTRACE_EVENT_VFORK_DONE && !task->space) {
		tracer_let_go(t, task, 0);
		return false;
	}
	if (event != PTRACE_EVENT_CLONE && event != PTRACE_EVENT_FORK &&
	    event != PTRACE_EVENT_VFORK)
		return true;
	if (!kernel_request(&t->kernel, PTRACE_GETEVENTMSG, task->tid, NULL, &msg) && task->space)
		birth(t, task, (pid_t)msg);
	return true;
}
