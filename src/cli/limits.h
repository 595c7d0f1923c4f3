/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LIMITS_H
#define MPROF_CLI_LIMITS_H

/*
 * The limits that we were started with are the program's: it is not to run out of what we need, nor
 * are we to be killed for it. So ours are raised, where they may be, when it has been started.
 * Open files: one for each file that a program maps. Time: we work for every call of it; where the
 * kernel would kill us for that, SIGXCPU comes a while before.
 */
void limits_raise(void);

/* Only our own, when no program is to be started. */
void limits_raise_open_files(void);

/* Before anything is tried that would fail for want of file descriptors, and look as if it had
 * other reasons. 0, or a status: a sentence has been printed. */
int limits_check(void);

#endif
