/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_THREADS_H
#define MPROF_FAST_THREADS_H

#include "agent/layout.h"

#include <stddef.h>
#include <sys/types.h>

/*
 * Thread numbers, by thread pointer: given to the agent in a table that only the tracer writes. The
 * tracer never reads it back, as the program may have changed it.
 */
struct threads;

/* NULL: out of memory. @shared stays the caller's. */
struct threads *threads_new(struct agent_shared *shared);
void threads_free(struct threads *t);

/**
 * A thread is about to run, or is held. Tasks with the same thread pointer (clone without
 * CLONE_SETTLS) share a number; its tid is that of the latest one.
 * Returns the number, or AGENT_NO_THREAD: there are too many threads, and it is treated as a
 * stranger.
 */
uint32_t threads_begin(struct threads *t, uint64_t thread_pointer, pid_t tid);

/* A thread has ended, perhaps in the middle of the agent; all that it has recorded is before
 * @position. Its number is reused only when the ring has been read so far: threads_reap(). */
void threads_end(struct threads *t, uint32_t number, uint64_t position);

/* A thread has this thread pointer now, maybe a new one: it is known by that from here on, and what
 * it has recorded until now is before @position. Returns its number from here on. */
uint32_t threads_moved(struct threads *t, uint32_t number, uint64_t thread_pointer,
		       uint64_t position);

/* The program claims that a thread has this pointer, and none is known: note that, so that the
 * agent does not ask again. Only a limited number is noted. */
void threads_stranger(struct threads *t, uint64_t thread_pointer);

/* The ring has been read up to @position. */
void threads_reap(struct threads *t, uint64_t position);

/* Of the tasks that share this number, records are this task's from here on. */
void threads_is(struct threads *t, uint32_t number, pid_t tid);

/* The task of a thread number; also of a thread that has ended, until it is reaped. 0: none. */
pid_t threads_tid(const struct threads *t, uint32_t number);

/* The number of a running thread; AGENT_NO_THREAD: it is not known. */
uint32_t threads_find(const struct threads *t, uint64_t thread_pointer);

#endif
