/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine of a forked copy of a program: one of its own, or traps. */
#include "breakpoints/watch_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int copy_taken(struct watch *w, const struct watch *parent)
{
	w->taken = calloc(parent->n_taken + 1, sizeof *w->taken);
	w->left = calloc(parent->n_left + 1, sizeof *w->left);
	if (!w->taken || !w->left)
		return -ENOMEM;
	if (parent->n_taken)
		memcpy(w->taken, parent->taken, parent->n_taken * sizeof *w->taken);
	if (parent->n_left)
		memcpy(w->left, parent->left, parent->n_left * sizeof *w->left);
	w->n_taken = parent->n_taken;
	w->n_left = parent->n_left;
	w->cap_taken = w->n_taken + 1;
	w->cap_left = w->n_left + 1;
	/* These have been reported for the parent. */
	w->told_left = parent->told_left;
	return 0;
}

/* A child that has been killed, or is detached at once, needs no sentence. */
static bool goes_at_once(int err)
{
	return err == -ESRCH || err == -ECANCELED;
}

int watch_fork_engine(struct watch *w, const struct watch *parent, struct task *child)
{
	const struct engine_ops *ops = w->shared->engine;
	struct error why;

	w->traps_only = parent->traps_only;
	w->new_trapped = parent->new_trapped;
	if (!parent->engine)
		return 0;
	int err = copy_taken(w, parent);
	if (err)
		return err;
	w->decided = parent->decided;
	w->arm_later = parent->arm_later;
	watch_meet_engine(w);
	/* Until fork() returns the child's chains lead through the code of the parent's engine. */
	w->engine = parent->engine;
	w->engine = ops->fork(parent->engine, child, &w->host, &err, &why);
	if (!w->engine && !goes_at_once(err))
		return watch_use_traps(w, why.text);
	if (!w->engine)
		w->n_taken = 0;
	watch_count_allocators(w);
	return 0;
}
