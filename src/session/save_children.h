/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SAVE_CHILDREN_H
#define MPROF_SESSION_SAVE_CHILDREN_H

#include "base/say.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct journal;

/*
 * Save children: forked copies of the tracing process that name and write what is recorded, while
 * tracing goes on. The fork gives them a copy of all records as of that moment without copying.
 */

/* A forked process that writes. */
struct save_child {
	pid_t pid;
	pid_t of;	  /* the process whose file it writes */
	const char *what; /* what it writes, for messages: "the profile" */
	bool last;	  /* nothing will write the same again */
	say_fn *say;	  /* reports that it was killed */
};

struct save_children {
	struct save_child *v;
	size_t n, cap;
	struct journal *journal; /* shared with the keeper; NULL: there is none */
	bool failed;	/* one could not write what nothing will write again */
	bool failing;	/* the last one to end could not write: the next need not say why again */
};

void save_children_release(struct save_children *c);

/**
 * Fork a save child; the caller passes the result to save_children_add(). Returns as fork(2).
 * @begins, @ctx  called in the child to release what it must not touch; may be NULL
 */
pid_t save_child_fork(void (*begins)(void *ctx), void *ctx);

/* Register a save child, or that none could be forked (its pid is -1; errno says why). */
void save_children_add(struct save_children *c, const struct save_child *made);

/* Nothing will write again what the running children write: the profiles begin anew. */
void save_children_are_last(struct save_children *c);

/* Child @pid has ended with @wstatus: say so if it was killed, which it could not say itself. Other
 * pids are ignored. */
void save_children_ended(struct save_children *c, pid_t pid, int wstatus);

/* Wait for a save child and return its status. However long that takes, the keeper is told by @g
 * that the tracer does not hang; NULL: there is no keeper. */
int save_child_await(pid_t pid, struct journal *g);

/* Wait so for all: a file must not be replaced by one that was begun earlier. */
void save_children_await(struct save_children *c);

#endif
