/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LOOKS_H
#define MPROF_CLI_LOOKS_H

#include "cli/serve.h"

/*
 * Looks at a process that a session of ours traces: only the session can stop it. The command asks
 * it by its control socket, and the session starts a looker, whose answer the command prints.
 */

/* The error while too many looks are going on. */
#define LOOKS_BUSY "others are looking at it: try again"

/* What a looker gets from its session. */
struct look_by {
	struct still_holder *holder;
	const struct serve *serve; /* the looker's copy from when it was started */
	const struct requesters_files *files;
};

/* A command that looks, after its options were parsed. @by: NULL: no session traces the process.
 * Returns its status. */
typedef int look_fn(const struct options *o, pid_t pid, const struct look_by *by);
look_fn heap_look, leaks_look, rss_look;

/* About blocks from before the session, without looking at the process. Only in a session. */
look_fn before_left;

/* The counters now, without names. Only in a session. */
look_fn figures_told;

/**
 * Run a command that looks: itself, or by the session that traces the process.
 * @argc, @argv  of the command
 */
int look_command(const char *name, look_fn *look, int argc, char **argv);

/* ---- the session's side ---- */

/* Start to answer CONTROL_LOOK_HEAP and similar commands, or CONTROL_LOOK. */
void looks_begin(struct serve *v, const struct control_request *r);

/* Serve the lookers that have requests; not while a stop is being served. */
void looks_serve(struct serve *v);

/* The session is over: end the lookers. */
void looks_end(struct serve *v);

#endif
