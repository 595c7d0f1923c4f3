/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/save_children.h"

#include "base/array.h"
#include "base/unfinished.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	if (begins)
		begins(ctx);
	return 0;
}

void save_children_add(struct save_children *c, pid_t pid, pid_t of, bool last, say_fn *say)
{
	if (pid < 0) {
		say_to(say, "cannot save the profile of process %d: %s", (int)of, strerror(errno));
		c->failed |= last;
	} else if (ARRAY_RESERVE(&c->v, &c->cap, c->n) == 0) {
		c->v[c->n++] = (struct save_child){ pid, last };
	}
}

void save_children_are_last(struct save_children *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->v[i].last = true;
}

void save_children_ended(struct save_children *c, pid_t pid, int wstatus)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->v[i].pid != pid)
			continue;
		if (WIFSIGNALED(wstatus))
			unfinished_remove(pid);
		c->failed |= c->v[i].last && wstatus;
		c->failing = wstatus;
		c->v[i] = c->v[--c->n];
		return;
	}
}

void save_children_await(struct save_children *c)
{
	while (c->n) {
		pid_t pid = c->v[c->n - 1].pid;
		int wstatus = 0;

		while (waitpid(pid, &wstatus, 0) < 0 && errno == EINTR)
			;
		save_children_ended(c, pid, wstatus);
	}
}
