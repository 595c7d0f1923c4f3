/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONFINE_CONFINE_H
#define MPROF_CONFINE_CONFINE_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a process gives up before it reads the first byte of a file that a program could have made.
 * An attacker who takes it over by such a file has a process that can read files and write to the
 * descriptors that it was given, and nothing else.
 */

/* Limits beyond what the process has when it is confined. */
struct confine_bounds {
	uint64_t bytes;		/* of memory, and of each file that it writes */
	unsigned seconds;	/* of processor time, including what it has used so far */
};

/* The parts of the confinement, to report which of them a kernel does not have. */
enum confine_part {
	CONFINE_BOUNDS = 1 << 0,	/* setrlimit(2) */
	CONFINE_CAPABILITIES = 1 << 1,	/* capabilities(7), and no_new_privs */
	CONFINE_FILES = 1 << 2,		/* landlock(7): no file is written, no process traced */
	CONFINE_SYSCALLS = 1 << 3,	/* seccomp(2) */
	CONFINE_ALL = CONFINE_BOUNDS | CONFINE_CAPABILITIES | CONFINE_FILES | CONFINE_SYSCALLS,
};

/**
 * Close all descriptors but @fds and the standard ones, which are redirected to nowhere; and
 * replace memory that is shared with other processes by private zeros, except for the page @shared
 * (NULL: none). Exits if that fails.
 */
void confine_let_go(const int *fds, size_t n, const void *shared);

/* The signal that ends a process whose seccomp filter cannot be made, for want of memory. */
#define CONFINE_NO_FILTER SIGVTALRM

/**
 * Confine this process for good. It must have one thread only. If libseccomp comes to no end, the
 * process dies of CONFINE_NO_FILTER.
 * Returns the parts (enum confine_part) that could not be set up; the others are in force.
 */
unsigned confine_self(const struct confine_bounds *b);

/* The size of our address space in bytes, as the kernel counts it for RLIMIT_AS. */
uint64_t confine_addresses(void);

/* The parts that this kernel does not have; a forked process tries it. All of them if that
 * failed. */
unsigned confine_lacking(void);

/* @lacking for a person, as in "confined without WHAT". False: nothing is lacking. */
bool confine_tell_lacking(unsigned lacking, struct error *what);

/* For the files of this room: each sets up one part. 0 or -errno. */
int confine_bound(const struct confine_bounds *b);
int confine_drop_capabilities(void);
int confine_files(void);
int confine_syscalls(void);

#endif
