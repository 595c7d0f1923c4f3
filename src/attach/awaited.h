/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_AWAITED_H
#define MPROF_ATTACH_AWAITED_H

#include "attach/task.h"

/*
 * Who is still to stop before a space is held, and how to wait for that. Decided from the table of
 * tasks alone.
 */
enum awaited {
	AWAITED_NOBODY,
	AWAITED_STOPS,		/* sleep: whatever happens to one of them is told */
	AWAITED_UNTOLD,		/* look, too: of a leader that ends nothing is told while its
				   threads go on, nor of a thread that has been asleep in vfork(2)
				   since before it was seized */
};

/**
 * Must this task stop yet?
 * @s       of this space; NULL: of any
 * @except  not this one
 *
 * Not who sleeps in vfork(2): it cannot be stopped before the child has gone, which may be one of
 * those that are held; but it runs no code of the program, and stops by itself before it does. And
 * not a leader that is known to have ended.
 */
bool is_awaited(const struct task *task, const struct address_space *s, const struct task *except);

/* How to wait for all of them. */
enum awaited awaited(const struct tasks *t, const struct address_space *s,
		     const struct task *except);

#endif
