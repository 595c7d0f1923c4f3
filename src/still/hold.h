/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_STILL_HOLD_H
#define MPROF_STILL_HOLD_H

#include "still/still.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The program is held by a process of its own, the holder, which does nothing else: if it ends, for
 * whatever reason, the kernel detaches from the program at once, in which nothing was planted. The
 * process that has started the holder copies meanwhile.
 */
struct still_holder {
	pid_t pid;
	int fd;
};

/* How long the program was stopped, in nanoseconds. */
struct still_pause {
	uint64_t attach_ns, held_ns;
};

/* Start a holder; nothing is stopped yet. 0 or -errno. */
int still_holder_begin(struct still_holder *h);

/**
 * Have it stop all tasks of a process, and add them to @s.
 * @limit_ns  the holder ends itself if it still holds the program after that time
 * @running   most of the program is copied after it has been resumed
 * Returns 0, or -errno as tracer_attach(); -EPIPE: the holder has ended.
 */
int still_hold(struct still_holder *h, pid_t pid, uint64_t limit_ns, bool running, struct still *s);

/* Let all tasks run for a moment, and stop them again. Returns as still_hold(). */
int still_hold_again(struct still_holder *h, struct still *s);

/* Resume the program, and detach from it. 0, or -EPIPE: the holder has ended before. */
int still_let_go(struct still_holder *h, struct still_pause *pause);

/* If the holder is a session that traces the program already: have it write the names of what has
 * requested the blocks, and wait for that. 0 or -EPIPE. */
int still_name(struct still_holder *h);

/* End the holder, whatever it is doing, and with that detach from the program. Returns its status,
 * as of waitpid(2). */
int still_holder_end(struct still_holder *h);

#endif
