/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_STILL_HOLD_H
#define MPROF_STILL_HOLD_H

#include "still/still.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Whoever holds the program is a process of its own, the holder, which does nothing else: if it
 * ends, for whatever reason, the kernel lets the program go at once, in which nothing was planted.
 * Whoever asks it to looks meanwhile.
 */
struct still_holder {
	pid_t pid;
	int fd;
};

/* How it went, when the program is free again. */
struct still_pause {
	uint64_t attach_ns, held_ns;
};

/* Begin a holder; nothing is stopped yet. 0 or -errno. */
int still_holder_begin(struct still_holder *h);

/**
 * Have it stop all tasks of a process; those are added to @s.
 * @limit_ns  it ends if the program is still held then
 * @running   most of the program is copied when it runs again
 * Returns 0, or -errno as tracer_attach(); -EPIPE: the holder has ended.
 */
int still_hold(struct still_holder *h, pid_t pid, uint64_t limit_ns, bool running, struct still *s);

/* Let all run for a moment, and stop them again. As above. */
int still_hold_again(struct still_holder *h, struct still *s);

/* Let the program go. 0, or -EPIPE: the holder has ended before it was told to. */
int still_let_go(struct still_holder *h, struct still_pause *pause);

/* Of who traces the program already: have it said who has requested blocks, and wait for that. What
 * comes of it is a matter of those two. 0 or -EPIPE. */
int still_name(struct still_holder *h);

/* Let the program go, whatever the holder is at. It is waited for: its status, as of waitpid(2). */
int still_holder_end(struct still_holder *h);

#endif
