/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_CENSUS_H
#define MPROF_ATTACH_CENSUS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Has every thread of a process been seized? A thread that is not ours when breakpoints go in dies
 * of the first one; and threads come and go while their list in /proc/PID/task is read. Decided
 * from plain facts: who was listed, how many there are, and whether ours are all stopped.
 */
enum thread_kind {
	THREAD_OURS,	/* seized, or born to one who was: its first stop comes by itself */
	THREAD_OVER,	/* has ended and is listed still, as a leader is whose threads go on */
	THREAD_LOST,	/* had ended before it could be seized; its children are nobody's */
	THREAD_OTHERS,	/* somebody else traces it */
	THREAD_REFUSED,	/* it may not be seized */
};

/* A thread as it was found after the try to seize it. */
struct thread_facts {
	int err;	/* what the try gave: 0, -ESRCH, -EPERM, ...; 0 if it was ours before */
	pid_t tracer;	/* who traces it; 0: nobody */
	char state;	/* status_state() */
};

/* @self: our own process id */
enum thread_kind thread_kind(const struct thread_facts *f, pid_t self);

/* One reading of the list. Zeroed before the first thread. */
struct census {
	unsigned seized;	/* became ours in this reading */
	unsigned known;		/* listed, and ours or over: none of them can vanish unheard */
	unsigned others, refused;
};

void census_add(struct census *c, enum thread_kind kind, bool is_new);

enum census_verdict {
	CENSUS_COMPLETE,	/* there is no thread but ours, and there can be none */
	CENSUS_HOLD,		/* there is none but ours: stop them, and look again */
	CENSUS_AGAIN,		/* others have been missed: read once more */
	CENSUS_TRACED,		/* a thread is somebody else's: the process must be left alone */
	CENSUS_REFUSED,		/* a thread may not be seized: the same */
	CENSUS_GONE,		/* there is no such process any more */
};

/**
 * @c        a whole reading of the list
 * @threads  how many threads the process had when that was over; less than 1: it is gone
 * @held     all of ours were stopped before it began
 *
 * Threads that are ours cannot leave the process before they have been waited for, which nobody
 * does during a reading: so if as many were listed as there are in the end, there is no other. But
 * one that was in clone(2) when it was seized makes a thread that is not born to be ours, and that
 * may not be there yet: only when all have stopped is clone(2) over in all.
 */
enum census_verdict census_judge(const struct census *c, long threads, bool held);

#endif
