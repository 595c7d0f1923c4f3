/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_STACKS_H
#define MPROF_MASSIF_STACKS_H

#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The depth of the threads' stacks, from samples of their stack pointers.
 */

/* Queries to the system; tests have their own. Each returns false if the answer is not
 * available. */
struct stack_source {
	/* The mapping that contains an address of process @pid. */
	bool (*mapping)(pid_t pid, taddr at, taddr *start, taddr *end);
	/* The stack pointer that the process's first thread had at its exec. */
	bool (*start)(pid_t pid, taddr *sp);
	/* The stack pointer of a thread that is stopped or sleeps. */
	bool (*pointer)(pid_t pid, pid_t tid, taddr *sp);
};

extern const struct stack_source proc_stacks; /* proc(5) */

struct stack_thread {
	pid_t tid;
	taddr base;		/* 0: the bottom of the stack was not found */
	taddr start, end;	/* of the mapping that contains it */
	uint64_t depth;		/* at the last sample */
};

/* A zeroed struct with source and pid set has no threads yet. */
struct stacks {
	const struct stack_source *source;
	pid_t pid;
	struct stack_thread *threads;
	size_t n, cap;
};

void stacks_release(struct stacks *s);

/* A thread was created and has not run yet. */
void stacks_begin_thread(struct stacks *s, pid_t tid);

/* Each returns the change of the total depth. While a thread is on another stack (for a signal or a
 * coroutine), its depth stays as it was. */
int64_t stacks_sample(struct stacks *s, pid_t tid, taddr sp);
int64_t stacks_end_thread(struct stacks *s, pid_t tid);

/* The only thread of a forked child is on the stack of the thread that called fork. */
int64_t stacks_fork(struct stacks *child, const struct stacks *parent, pid_t pid);

/* The total depth, with the current depth of sleeping threads. Changes nothing. */
uint64_t stacks_look(const struct stacks *s);

/* The total depth. */
uint64_t stacks_depth(const struct stacks *s);

#endif
