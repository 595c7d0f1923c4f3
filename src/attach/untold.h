/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_UNTOLD_H
#define MPROF_ATTACH_UNTOLD_H

#include "attach/task.h"

/*
 * A task that is killed in the middle of a fork, by a signal or by another thread's exec or exit,
 * does not report the event: the child exists, is our tracee, and its first stop has come or will
 * come. Whose child it is, decided from plain data.
 */

/*
 * Can there be children that no event will report, now that @dead, which has a space, has ended?
 * Not if it has exited by itself: the event would have come before. And not yet if other tasks of
 * its process are still to end.
 */
bool may_leave_untold(const struct task *dead);

/* The kernel's answer to which child a task has created: PTRACE_GETEVENTMSG. */
struct told_of {
	bool answered;	/* not if it is being killed */
	pid_t child;
};

/* Was the task's last stop a fork, vfork or clone event? */
bool task_stopped_for_birth(const struct task *task);

/* Is it stopped at such an event, which has not been served? */
bool stops_for_birth(const struct task *task);

/**
 * Does, or may, the event of a task that stops_for_birth() report this child? If the task is being
 * killed that is not known; it is decided when it has ended.
 */
bool may_tell_of(const struct told_of *told, pid_t child);

#endif
