/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_AWAITED_H
#define MPROF_ATTACH_AWAITED_H

#include "attach/task.h"

/*
 * Which tasks have yet to stop before a space is held, and how to wait for them. Decided from the
 * table of tasks alone.
 */
enum awaited {
	AWAITED_NOBODY,
	AWAITED_STOPS,		/* sleep: waitpid reports whatever happens to one of them */
	AWAITED_UNTOLD,		/* poll as well: waitpid reports nothing of a leader that ends while
				   its threads go on, nor of a thread that was asleep in vfork(2)
				   when it was seized */
};

/**
 * Does this task still have to stop?
 * @s       of this space; NULL: of any
 * @except  not this one
 *
 * Not a task that sleeps in vfork(2): it cannot be stopped before its child has gone, and the child
 * may be held itself; but it runs no code of the program, and stops by itself before it does. And
 * not a leader that is known to have ended.
 */
bool is_awaited(const struct task *task, const struct address_space *s, const struct task *except);

/* How to wait for all of them. */
enum awaited awaited(const struct tasks *t, const struct address_space *s,
		     const struct task *except);

#endif
