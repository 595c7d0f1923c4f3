/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SAVE_CHILDREN_H
#define MPROF_SESSION_SAVE_CHILDREN_H

#include "base/say.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Forked copies of the tracing process that name and write what is recorded, while the tracing goes
 * on: a fork gives them all of it as it is at that moment, for nothing.
 */

/* A process that writes. */
struct save_child {
	pid_t pid;
	pid_t of;	  /* whose */
	const char *what; /* "the profile" */
	bool last;	  /* nobody will write again what it writes */
	say_fn *say;	  /* whom to tell that it was killed */
};

struct save_children {
	struct save_child *v;
	size_t n, cap;
	bool failed;	/* what one could not write is missing for good */
	bool failing;	/* the last to end has said that it could not write: the next need not say
			   why again */
};

void save_children_release(struct save_children *c);

/**
 * Make one; to be told of by save_children_add(). Returns as fork(2).
 * @begins, @ctx  called in the child: what it is not to touch it gives up there; may be NULL
 */
pid_t save_child_fork(void (*begins)(void *ctx), void *ctx);

/* One has been made, or could not be (its pid is -1, errno says why). */
void save_children_add(struct save_children *c, const struct save_child *made);

/* What those that are still writing have been told to write is begun anew: nobody will write it
 * again. */
void save_children_are_last(struct save_children *c);

/* One of them has ended; that it was killed it could not say itself. Others that have are not known
 * here. */
void save_children_ended(struct save_children *c, pid_t pid, int wstatus);

/* Wait for all: the last to finish must be the last that was begun. */
void save_children_await(struct save_children *c);

#endif
