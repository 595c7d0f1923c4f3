/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONFINE_APART_INTERNAL_H
#define MPROF_CONFINE_APART_INTERNAL_H

/* Shared by apart.c, which is the parent's side, and inside.c, the confined process's. */

#include "confine/apart.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

/* Exit status of a process that had no memory; libdw exits with the same. */
enum { OUT_OF_MEMORY = EXIT_FAILURE, FAILED = 2 };

/* Precedes a request and an answer. */
struct head {
	int32_t what;	/* kind of a request; 0 or -errno of an answer */
	uint32_t n;	/* number of bytes that follow */
};

/* The kind of a request that is answered by apart_go_on(). */
enum { PAUSES = INT32_MAX };

/* The connection between the two processes. */
struct door {
	int here, there;		/* connected sockets; -1: closed */
	_Atomic uint32_t *noted;	/* a page shared by both, for apart_note() */
	int out;
};

void apart_close(int *fd);

/* In the child of a fork: confine it and do the work. */
__attribute__((noreturn)) void apart_inside(const struct apart_work *w, struct door *d,
					    pid_t parent);

#endif
