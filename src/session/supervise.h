/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SUPERVISE_H
#define MPROF_SESSION_SUPERVISE_H

#include "attach/journal.h"
#include "base/say.h"

#include <stdbool.h>

/* How a command ends: with an exit status, or by the signal that ended the program it ran. */
struct ending {
	int signal;	/* 0: none */
	int status;
};

/* The body of the tracing process. It calls supervise_ready() with @ready once tracing has
 * begun. */
typedef struct ending tracing_fn(struct journal *journal, int ready, void *arg);

/**
 * Run @body in a process of its own, which alone traces the programs, and watch over it: if it dies
 * without cleaning up, the programs are recovered by the watchdog. If this process, the one that
 * the user knows, is killed, the tracing process detaches from the programs in order.
 * @background  return once tracing has begun; the rest goes on without a terminal
 * @tell        tells the user
 * Returns what this process is to end with.
 */
struct ending supervise(bool background, tracing_fn *body, void *arg, say_fn *tell);

/* Called by @body once tracing has begun: in the background, lets supervise() return. */
void supervise_ready(int ready);

/* End this process like that: by the signal, if that ends a process. Otherwise returns the exit
 * status to use. */
int end_with(struct ending e);

#endif
