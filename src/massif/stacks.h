/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_STACKS_H
#define MPROF_MASSIF_STACKS_H

#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * How deep the threads' stacks are, as far as samples of their stack pointers tell.
 */

/* What is asked of the system; in tests, of the test. Each returns false: not to be had. */
struct stack_source {
	/* The mapping that holds an address of process @pid. */
	bool (*mapping)(pid_t pid, taddr at, taddr *start, taddr *end);
	/* The stack pointer that the process's first thread had at its exec. */
	bool (*start)(pid_t pid, taddr *sp);
	/* The stack pointer of a thread that is stopped or sleeps. */
	bool (*pointer)(pid_t pid, pid_t tid, taddr *sp);
};

extern const struct stack_source proc_stacks; /* proc(5) */

struct stack_thread {
	pid_t tid;
	taddr base;		/* 0: the stack has no bottom that we could find */
	taddr start, end;	/* of the mapping it is in */
	uint64_t depth;		/* last known */
};

/* A zeroed struct with source and pid set knows no thread. */
struct stacks {
	const struct stack_source *source;
	pid_t pid;
	struct stack_thread *threads;
	size_t n, cap;
};

void stacks_release(struct stacks *s);

/* A thread has been made and has not run yet. */
void stacks_begin_thread(struct stacks *s, pid_t tid);

/* Each returns by how much the depth of all has changed. Outside of its stack (on another one, for
 * a signal or a coroutine) a thread is as deep as it was. */
int64_t stacks_sample(struct stacks *s, pid_t tid, taddr sp);
int64_t stacks_end_thread(struct stacks *s, pid_t tid);

/* The only thread of a child of fork is on the stack of the one that made it. */
int64_t stacks_fork(struct stacks *child, const struct stacks *parent, pid_t pid);

/* The sum of all, with the threads that sleep as deep as they are now. Changes nothing. */
uint64_t stacks_look(const struct stacks *s);

/* The sum of all. */
uint64_t stacks_depth(const struct stacks *s);

#endif
