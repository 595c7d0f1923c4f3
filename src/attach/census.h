/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_CENSUS_H
#define MPROF_ATTACH_CENSUS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Has every thread of a process been seized? A thread that is not seized when breakpoints go in
 * dies of the first one it hits; and threads come and go while the list in /proc/PID/task is read.
 * Decided from plain facts: which threads were listed, how many there are, and whether ours are all
 * stopped.
 */
enum thread_kind {
	THREAD_OURS,	/* seized, or created by a seized thread: its first stop comes by itself */
	THREAD_OVER,	/* has ended and is still listed, as a leader is while its threads go on */
	THREAD_LOST,	/* ended before it could be seized; threads it has created are not traced */
	THREAD_OTHERS,	/* somebody else traces it */
	THREAD_REFUSED,	/* we are not permitted to seize it */
};

/* A thread as it was found after the try to seize it. */
struct thread_facts {
	int err;	/* result of PTRACE_SEIZE: 0, -ESRCH, -EPERM, ...; 0 if it was ours
			   before */
	pid_t tracer;	/* pid of its tracer; 0: none */
	char state;	/* status_state() */
};

/* @self: our own process id */
enum thread_kind thread_kind(const struct thread_facts *f, pid_t self);

/* One reading of the list. Zeroed before the first thread. */
struct census {
	unsigned seized;	/* became ours in this reading */
	unsigned known;		/* listed, and ours or over: none of them can vanish without being
				   reported; or a worker that has not vanished, workers_there() */
	unsigned others, refused;
};

/* Count a thread; @is_new: it was seized in this reading. */
void census_add(struct census *c, enum thread_kind kind, bool is_new);

enum census_verdict {
	CENSUS_COMPLETE,	/* all threads are ours, and no other can appear */
	CENSUS_HOLD,		/* all threads are ours for now: stop them, and read again */
	CENSUS_AGAIN,		/* some have been missed: read again */
	CENSUS_TRACED,		/* a thread has another tracer: the process must be left alone */
	CENSUS_REFUSED,		/* we may not seize a thread: the same */
	CENSUS_GONE,		/* the process is gone */
};

/**
 * @c        a whole reading of the list
 * @threads  how many threads the process had after the reading; less than 1: it is gone
 * @held     all of ours were stopped before it began
 *
 * Threads that are ours stay in the process until they have been waited for, which is not done
 * during a reading: so if as many were listed as there are in the end, there is no other. But one
 * that was in clone(2) when it was seized may yet create a thread that is not traced automatically:
 * only when all have stopped, no clone(2) is under way.
 */
enum census_verdict census_judge(const struct census *c, long threads, bool held);

#endif
