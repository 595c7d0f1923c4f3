/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SUPERVISE_H
#define MPROF_SESSION_SUPERVISE_H

#include "attach/journal.h"
#include "base/say.h"

#include <stdbool.h>

/* How a command ends: with an exit status, or by a signal as the program it ran did. */
struct ending {
	int signal;	/* 0: none */
	int status;
};

/* What the tracing process does. @ready: call supervise_ready() with it once tracing has begun. */
typedef struct ending tracing_fn(struct journal *journal, int ready, void *arg);

/**
 * Run @body in a process of its own, which alone holds the traced programs, and watch over it: if
 * it dies without cleaning up, the programs are put back in order from here. If the process that
 * the user knows, this one, is killed, the tracing one lets the programs go in good order.
 * @background  return once tracing has begun; the rest goes on without a terminal
 * @tell        what is to be told to the user
 * Returns what this process is to end with.
 */
struct ending supervise(bool background, tracing_fn *body, void *arg, say_fn *tell);

void supervise_ready(int ready);

/* End this process like that; does not return if it is by a signal that ends. Returns the
 * status. */
int end_with(struct ending e);

#endif
