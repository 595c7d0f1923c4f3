/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/save_children.h"

#include "attach/journal.h"
#include "base/array.h"
#include "base/endby.h"
#include "base/reap.h"
#include "base/unfinished.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void save_children_release(struct save_children *c)
{
	free(c->v);
	*c = (struct save_children){ 0 };
}

pid_t save_child_fork(void (*begins)(void *ctx), void *ctx)
{
	fflush(NULL);
	pid_t pid = fork();

	if (pid)
		return pid;
	endby_signal(SIGTERM);
	endby_signal(SIGHUP);
	if (begins)
		begins(ctx);
	return 0;
}

void save_children_add(struct save_children *c, const struct save_child *made)
{
	if (made->pid < 0) {
		say_to(made->say, "cannot write %s of process %d: %s", made->what, (int)made->of,
		       strerror(errno));
		c->failed |= made->last;
	} else if (ARRAY_RESERVE(&c->v, &c->cap, c->n) == 0) {
		c->v[c->n++] = *made;
	}
}

void save_children_are_last(struct save_children *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->v[i].last = true;
}

static void say_killed(const struct save_child *child, int sig)
{
	say_to(child->say,
	       "the process that was to write %s of process %d ended with signal %d (%s); %s",
	       child->what, (int)child->of, sig, strsignal(sig),
	       child->last ? "nobody writes it again" : "the session goes on");
}

void save_children_ended(struct save_children *c, pid_t pid, int wstatus)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->v[i].pid != pid)
			continue;
		if (WIFSIGNALED(wstatus)) {
			unfinished_remove(pid);
			say_killed(&c->v[i], WTERMSIG(wstatus));
		}
		c->failed |= c->v[i].last && wstatus;
		c->failing = WIFEXITED(wstatus) && wstatus;
		c->v[i] = c->v[--c->n];
		return;
	}
}

/* Meanwhile threads may wait for the tracer with the fast engine, and a writer may read names for
 * minutes: the keeper must not take that for a hang. */
int save_child_await(pid_t pid, struct journal *g)
{
	enum { BEAT_MS = 1000 };
	struct pollfd p = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	int n, wstatus = 0;

	do {
		journal_beats(g);
		n = p.fd < 0 ? 1 : poll(&p, 1, BEAT_MS);
	} while (n == 0 || (n < 0 && errno == EINTR));
	if (p.fd >= 0)
		close(p.fd);
	reap(pid, &wstatus);
	return wstatus;
}

void save_children_await(struct save_children *c)
{
	while (c->n) {
		pid_t pid = c->v[c->n - 1].pid;

		save_children_ended(c, pid, save_child_await(pid, c->journal));
	}
}
