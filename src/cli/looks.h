/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LOOKS_H
#define MPROF_CLI_LOOKS_H

#include "cli/serve.h"

/*
 * Looks at a process that a session of ours traces: only that can stop it. It is asked by its
 * control socket, and has the command carried out by a looker, whose answer is what the command
 * prints.
 */

/* Why it is not answered for the moment. */
#define LOOKS_BUSY "others are looking at it: try again"

/* What a looker has of the session that it looks for. */
struct look_by {
	struct still_holder *holder;
	const struct serve *serve; /* a copy of the session's, from when it was asked */
	const struct requesters_files *files;
};

/* A command that looks, once its options are known. @by: NULL: no session traces the process.
 * Returns its status. */
typedef int look_fn(const struct options *o, pid_t pid, const struct look_by *by);
look_fn heap_look, leaks_look, rss_look;

/* Of what was there before the session, without a look at the process. Only for a session. */
look_fn before_left;

/* What is counted by now, without names. Only for a session. */
look_fn figures_told;

/**
 * Carry out a command that looks: by itself, or by the session that traces the process.
 * @argc, @argv  of the command
 */
int look_command(const char *name, look_fn *look, int argc, char **argv);

/* ---- the session's side ---- */

/* Begin to answer CONTROL_LOOK_HEAP and its like, or CONTROL_LOOK. */
void looks_begin(struct serve *v, const struct control_request *r);

/* Serve those that have something to ask: while no stop is being served. */
void looks_serve(struct serve *v);

/* The session is over: whoever still looks is not waited for. */
void looks_end(struct serve *v);

#endif
