/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_CENSUS_H
#define MPROF_ATTACH_CENSUS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Has every thread of a process been seized? A thread that is not ours when the breakpoints go in
 * is killed by the first one; and threads come and go while their list in /proc/PID/task is read.
 * Decided from plain facts: which threads were listed, how many there are, and whether ours are all
 * stopped.
 */
enum thread_kind {
	THREAD_OURS,	/* seized, or born to one who was: its first stop comes by itself */
	THREAD_OVER,	/* has ended and is still listed, like a leader whose threads go on */
	THREAD_LOST,	/* had ended before it could be seized; its children are not traced */
	THREAD_OTHERS,	/* another process traces it */
	THREAD_REFUSED,	/* we have no permission to seize it */
};

/* What is known of a thread after the attempt to seize it. */
struct thread_facts {
	int err;	/* what the attempt returned: 0, -ESRCH, -EPERM, ...; 0 if it was ours
			   before */
	pid_t tracer;	/* the process that traces it; 0: none */
	char state;	/* as in /proc/TID/status */
};

/* @self: our own process id */
enum thread_kind thread_kind(const struct thread_facts *f, pid_t self);

/* One reading of the list. Zeroed before the first thread. */
struct census {
	unsigned seized;	/* became ours in this reading */
	unsigned known;		/* listed, and ours or over: none of them can vanish without a
				   report */
	unsigned others, refused;
};

void census_add(struct census *c, enum thread_kind kind, bool is_new);

enum census_verdict {
	CENSUS_COMPLETE,	/* there is no thread but ours, and there can be none */
	CENSUS_HOLD,		/* there is none but ours: stop them, and read the list again */
	CENSUS_AGAIN,		/* others were missed: read the list again */
	CENSUS_TRACED,		/* another process traces a thread: the process must be left
				   alone */
	CENSUS_REFUSED,		/* we may not seize a thread: the same */
	CENSUS_GONE,		/* there is no such process any more */
};

/**
 * @c        a whole reading of the list
 * @threads  how many threads the process had when that was over; less than 1: it is gone
 * @held     all of ours were stopped before it began
 *
 * Threads that are ours cannot leave the process before they have been waited for, and nobody waits
 * during a reading: so if as many were listed as there are in the end, there is no other. But a
 * thread that was in clone(2) when it was seized makes one that is not traced, and that may not
 * exist yet: only when all have stopped is no thread in clone(2) any more.
 */
enum census_verdict census_judge(const struct census *c, long threads, bool held);

#endif
