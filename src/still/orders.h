/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_STILL_ORDERS_H
#define MPROF_STILL_ORDERS_H

#include "arch/arch.h"
#include "attach/tracer.h"
#include "still/hold.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * The requests of the looker, which takes the still, to the holder, on a socket; and the answers.
 * Mostly the holder is started for that and does nothing else (hold.c). If a session traces the
 * program already it answers in its place: then the looker, which also parses the copy, is a
 * process of its own.
 */
enum still_order {
	STILL_HOLD,   /* stop the program; answered by still_tell_tasks() */
	STILL_AGAIN,  /* let it run for a moment, and stop it again; the same */
	STILL_LET_GO, /* answered by still_tell_pause() */
	STILL_NAME,   /* name what has requested the blocks; answered by still_tell_named() */
	STILL_DONE,   /* the looker needs nothing more; no answer */
};

struct still_request {
	enum still_order order;
	pid_t pid;
	uint64_t limit_ns; /* with STILL_HOLD: do not hold it for longer, whatever happens */
	bool running;	   /* with STILL_HOLD: it is copied while it runs, perhaps several times */
};

/* Send a request. 0 or -EPIPE: the other side has ended. */
int still_ask(int fd, const struct still_request *r);

/* Receive the next request; waits for @wait_ns at most. 0, -EAGAIN: nothing yet, -EINTR, or -EPIPE:
 * the other side has ended. */
int still_next(int fd, uint64_t wait_ns, struct still_request *r);

/* Send where the tasks that run in the memory of @pid (0: all tasks) were stopped. 0, -ESRCH: there
 * are none, which is sent, too, or another -errno. */
int still_tell_tasks(int fd, struct tracer *t, pid_t pid);

/* Send that the program has been resumed. 0 or -EPIPE. */
int still_tell_pause(int fd, const struct still_pause *pause);

/* Send that the namer has ended: the names are in a file known to both. 0 or -EPIPE. */
int still_tell_named(int fd);

/* Send that the program cannot be held, for the reason @err. 0 or -EPIPE. */
int still_tell_failure(int fd, int err);

/* Read @size bytes of an answer. 0 or -EPIPE. */
int still_read(int fd, void *to, size_t size);

/* The answer to STILL_HOLD and STILL_AGAIN: @n tasks follow. */
struct still_told {
	int err;
	size_t n;
};

/* One of them, and the words in its registers, of which only @n are sent. */
struct still_told_task {
	struct still_task at;
	size_t n;
	uint64_t words[ARCH_WORDS];
};

#endif
