/* SPDX-License-Identifier: BSD-2-Clause */
#include "still/hold.h"

#include "attach/tracer.h"
#include "base/clock.h"
#include "base/reap.h"
#include "still/orders.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* ---- the holder: a tracer that plants nothing ---- */

static bool take_image(void *ctx, struct task *task)
{
	(void)ctx, (void)task;
	return true;
}

/* Nothing of ours is in the child's memory. */
static bool leave_child(void *ctx, struct task *child, const struct task *parent,
			struct address_space *space)
{
	(void)ctx, (void)child, (void)parent, (void)space;
	return false;
}

static void on_unfollowed(void *ctx, struct task *task, const struct address_space *space, int err)
{
	(void)ctx, (void)task, (void)space, (void)err;
}

static void on_task(void *ctx, struct task *task)
{
	(void)ctx, (void)task;
}

static enum trap_answer on_trap(void *ctx, struct task *task, bool certain)
{
	(void)ctx, (void)task, (void)certain;
	return TRAP_NOT_OURS;
}

static bool on_settle(void *ctx, struct task *task, bool trapped)
{
	(void)ctx, (void)task, (void)trapped;
	return false;
}

static void on_space_gone(void *ctx, struct address_space *space)
{
	(void)ctx, (void)space;
}

static bool on_clean(void *ctx, struct address_space *space)
{
	(void)ctx, (void)space;
	return true;
}

static void on_end(void *ctx, pid_t pid, int wstatus)
{
	(void)ctx, (void)pid, (void)wstatus;
}

static const struct tracer_ops ops = {
	.image = take_image,
	.forked = leave_child,
	.unfollowed = on_unfollowed,
	.thread = on_task,
	.trap = on_trap,
	.settle = on_settle,
	.task_gone = on_task,
	.space_gone = on_space_gone,
	.clean = on_clean,
	.ended = on_end,
	.reaped = on_end,
};

/* This signal ends us, and then the kernel detaches from all tasks. */
static void set_limit(uint64_t ns)
{
	const uint64_t us = ns / 1000 + 1;
	struct itimerval limit = {.it_value = {(time_t)(us / 1000000),
					       (suseconds_t)(us % 1000000)}};
	sigset_t only;

	/* Whoever started us may have blocked it. */
	signal(SIGALRM, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	setitimer(ITIMER_REAL, &limit, NULL);
}

static int hold(int fd, struct tracer *t, pid_t pid)
{
	int err = tracer_attach(t, pid);

	if (err) {
		tracer_leave_all(t);
		still_tell_failure(fd, err);
	}
	return err;
}

static void serve(int fd, struct tracer *t)
{
	struct still_pause pause = {0};
	uint64_t stopped_ns = 0, moments = 1; /* STILL_AGAIN is requested a few times only */
	struct still_request q;

	while (!still_read(fd, &q, sizeof q)) {
		enum { MOMENT_NS = 1000000 };

		if (q.order == STILL_LET_GO)
			break;
		if (q.order == STILL_HOLD) {
			set_limit(q.limit_ns);
			if (hold(fd, t, q.pid))
				return;
		}
		if (q.order == STILL_AGAIN) {
			pause.held_ns += clock_now_ns() - stopped_ns;
			/* A task in the middle of something may have to wait for a processor. */
			tracer_let_run(t, moments * MOMENT_NS);
			moments *= 2;
			stopped_ns = clock_now_ns();
		} else {
			stopped_ns = clock_now_ns();
			tracer_stop_all(t);
		}
		if (still_tell_tasks(fd, t, 0))
			break;
	}
	tracer_leave_all(t);
	pause.held_ns += clock_now_ns() - stopped_ns;
	pause.attach_ns = tracer_attach_ns(t);
	still_tell_pause(fd, &pause);
}

int still_holder_begin(struct still_holder *h)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return -errno;
	h->fd = fds[0];
	h->pid = fork();
	if (h->pid < 0) {
		int err = -errno;

		close(fds[0]);
		close(fds[1]);
		return err;
	}
	if (!h->pid) {
		struct tracer *t = tracer_new(&ops, NULL, NULL);

		close(fds[0]);
		signal(SIGPIPE, SIG_IGN);
		if (t)
			serve(fds[1], t);
		_exit(!t);
	}
	close(fds[1]);
	return 0;
}

/* ---- the other side ---- */

static int read_task(const struct still_holder *h, struct still *s)
{
	struct still_told_task task;
	int err = still_read(h->fd, &task, offsetof(struct still_told_task, words));

	if (!err && task.n > ARCH_WORDS)
		return -EPIPE;
	if (!err)
		err = still_read(h->fd, task.words, task.n * sizeof *task.words);
	if (!err)
		err = still_add_task(s, &task.at);
	for (size_t i = 0; !err && i < task.n; i++)
		err = still_add_word(s, task.words[i]);
	return err;
}

static int read_tasks(const struct still_holder *h, struct still *s)
{
	struct still_told held;
	int err = still_read(h->fd, &held, sizeof held);

	s->n_tasks = s->n_words = 0;
	for (size_t i = 0; !err && !held.err && i < held.n; i++)
		err = read_task(h, s);
	return err ? err : held.err;
}

int still_hold(struct still_holder *h, pid_t pid, uint64_t limit_ns, bool running, struct still *s)
{
	struct still_request q = {STILL_HOLD, pid, limit_ns, running};
	int err = still_ask(h->fd, &q);

	return err ? err : read_tasks(h, s);
}

int still_hold_again(struct still_holder *h, struct still *s)
{
	struct still_request q = {.order = STILL_AGAIN};
	int err = still_ask(h->fd, &q);

	return err ? err : read_tasks(h, s);
}

int still_let_go(struct still_holder *h, struct still_pause *pause)
{
	struct still_request q = {.order = STILL_LET_GO};
	int err = still_ask(h->fd, &q);

	return err ? err : still_read(h->fd, pause, sizeof *pause);
}

int still_name(struct still_holder *h)
{
	struct still_request q = {.order = STILL_NAME};
	char named;
	int err = still_ask(h->fd, &q);

	return err ? err : still_read(h->fd, &named, sizeof named);
}

int still_holder_end(struct still_holder *h)
{
	int status = 0;

	if (h->pid <= 0)
		return 0;
	close(h->fd);
	reap(h->pid, &status);
	h->pid = 0;
	return status;
}
