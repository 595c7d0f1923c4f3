/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_STILL_ORDERS_H
#define MPROF_STILL_ORDERS_H

#include "arch/arch.h"
#include "attach/tracer.h"
#include "still/hold.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * What whoever looks asks of whoever holds the program, on a socket; and the answers. The holder
 * that is begun for a look does nothing else (hold.c). Who traces the program already answers in
 * its place: then the looking, and the parsing of what was seen, is done by a process of its own.
 */
enum still_order {
	STILL_HOLD,   /* stop it; answered by still_tell_tasks() */
	STILL_AGAIN,  /* let it run for a moment, and stop it again; the same */
	STILL_LET_GO, /* answered by still_tell_pause() */
	STILL_NAME,   /* say who has requested blocks; answered by still_tell_named() */
	STILL_DONE,   /* all that was wanted has been seen; no answer */
};

struct still_request {
	enum still_order order;
	pid_t pid;
	uint64_t limit_ns; /* with STILL_HOLD: it is not to be held for longer, whatever happens */
	bool running;	   /* with STILL_HOLD: it is copied while it runs, perhaps several times */
};

/* Ask. 0 or -EPIPE: the other one has ended. */
int still_ask(int fd, const struct still_request *r);

/* What is asked next; waits for @wait_ns at most. 0, -EAGAIN: nothing yet, -EINTR, or -EPIPE: the
 * other one has ended. */
int still_next(int fd, uint64_t wait_ns, struct still_request *r);

/* Where the tasks that run in the memory of @pid were stopped (0: all there are). 0, -ESRCH: there
 * are none, which is told, too, or another -errno. */
int still_tell_tasks(int fd, struct tracer *t, pid_t pid);

/* It has been let go. 0 or -EPIPE. */
int still_tell_pause(int fd, const struct still_pause *pause);

/* Whoever was to say it has ended: what there is of it stands where both know. 0 or -EPIPE. */
int still_tell_named(int fd);

/* It cannot be held, for the reason @err. 0 or -EPIPE. */
int still_tell_failure(int fd, int err);

/* What the answers are read with. 0 or -EPIPE. */
int still_read(int fd, void *to, size_t size);

/* The answer to STILL_HOLD and STILL_AGAIN: @n tasks follow. */
struct still_told {
	int err;
	size_t n;
};

/* One of them, and what is in its registers, of which so many words are sent. */
struct still_told_task {
	struct still_task at;
	size_t n;
	uint64_t words[ARCH_WORDS];
};

#endif
