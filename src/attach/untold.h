/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_UNTOLD_H
#define MPROF_ATTACH_UNTOLD_H

#include "attach/task.h"

/*
 * Who dies by force, by a signal or in another thread's exec or exit, does not tell of the process
 * that it is making: that is there, and ours, and its first stop has come or is to come. Whose it
 * is, decided from plain data.
 */

/*
 * Can there be children that nobody will tell of, now that @dead, which has a space, has ended?
 * Not if it has ended by itself: it would have told before. And not yet if others of its process
 * will be heard of.
 */
bool may_leave_untold(const struct task *dead);

/* What the kernel answers if it is asked whom a task has made: PTRACE_GETEVENTMSG. */
struct told_of {
	bool answered;	/* not if it is being killed */
	pid_t child;
};

/* Is this a stop to tell of a child? */
bool stops_for_birth(const struct task *task);

/**
 * Has one that stops_for_birth() this child to tell of, or may it have? Of one that is being
 * killed it is not known; that is seen when it has ended.
 */
bool may_tell_of(const struct told_of *told, pid_t child);

#endif
