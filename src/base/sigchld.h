/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_SIGCHLD_H
#define MPROF_BASE_SIGCHLD_H

/* If whoever started us has SIGCHLD ignored, waitpid(2) tells how none of our children ended: do
 * not ignore it. */
void sigchld_want(void);

/* Ignore it again if sigchld_want() has ended that: for a child that executes a program, which is
 * to find what we found. */
void sigchld_as_before(void);

#endif
