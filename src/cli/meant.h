/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_MEANT_H
#define MPROF_CLI_MEANT_H

#include "base/error.h"
#include "cli/cli.h"
#include "cli/processes.h"

/*
 * What people say to which process a command goes: with -p or without, by number or by name.
 */

/**
 * The processes that @words, and before them those of -p, say. A thread's number stands for its
 * process; a name for the only process that is called so.
 * Returns 0, or an exit status: a sentence has been printed. Without any word *out stays empty.
 */
int meant_processes(const struct options *o, char *const words[], size_t n, struct pids *out);

/* The same of a command that goes to one process. *pid: it; 0 without any word. */
int meant_process(const struct options *o, char *const words[], size_t n, pid_t *pid);

/**
 * The session that they say; several words may mean the same.
 * Returns as above. Without any word *session stays 0.
 */
int meant_session(const struct options *o, char *const words[], size_t n, pid_t *session);

/* The sentence that a process has no session itself, but is traced in that of another. */
void meant_traced(struct error *e, const char *command, pid_t pid, pid_t by);

#endif
