/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_MEANT_H
#define MPROF_CLI_MEANT_H

#include "base/error.h"
#include "cli/cli.h"
#include "cli/processes.h"

/*
 * Which process a command is for: given with -p or without, by number or by name.
 */

/**
 * The processes given by -p, followed by those of @words. A tid stands for its process; a name for
 * the only process of that name.
 * Returns 0, or an exit status: a sentence has been printed. If none is given *out is empty.
 */
int meant_processes(const struct options *o, char *const words[], size_t n, struct pids *out);

/* The same for a command about one process. *pid: 0 if none is given. */
int meant_process(const struct options *o, char *const words[], size_t n, pid_t *pid);

/**
 * The session of the processes that are given; several of them may be in the same session.
 * Returns as above. *session: 0 if none is given.
 */
int meant_session(const struct options *o, char *const words[], size_t n, pid_t *session);

/* A sentence that a process has no session of its own, but is traced by that of another. */
void meant_traced(struct error *e, const char *command, pid_t pid, pid_t by);

#endif
