/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONFINE_CONFINE_H
#define MPROF_CONFINE_CONFINE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a process gives up before it reads the first byte of a file that a program could have made.
 * Whoever takes it over by such a file has a process that can read files and write to what was
 * handed over to it, and nothing else.
 */

/* How much it may take, beyond what it has when it is confined. */
struct confine_bounds {
	uint64_t bytes;		/* of memory, and of each file that it writes */
	unsigned seconds;	/* of processor time, all that the process has had */
};

/* The parts of it, for who tells which of them a kernel does not have. */
enum confine_part {
	CONFINE_BOUNDS = 1 << 0,	/* setrlimit(2) */
	CONFINE_CAPABILITIES = 1 << 1,	/* capabilities(7), and that no program gives any */
	CONFINE_FILES = 1 << 2,		/* landlock(7): nothing is written, nobody is traced */
	CONFINE_SYSCALLS = 1 << 3,	/* seccomp(2) */
	CONFINE_ALL = CONFINE_BOUNDS | CONFINE_CAPABILITIES | CONFINE_FILES | CONFINE_SYSCALLS,
};

/**
 * Close what is not to be had any more: all descriptors but the standard ones, which lead nowhere
 * then, and @fds; and memory that is shared with other processes, where private zeros are instead,
 * but for the page @shared (NULL: none).
 */
void confine_let_go(const int *fds, size_t n, const void *shared);

/**
 * Confine this process for good. It has one thread.
 * Returns the parts (enum confine_part) that could not be had; those that could are in force.
 */
unsigned confine_self(const struct confine_bounds *b);

/* Bytes of addresses that this process has, as the kernel counts them for RLIMIT_AS. */
uint64_t confine_addresses(void);

/* The parts that cannot be had here; a process of its own tries it. All of them if it could not. */
unsigned confine_lacking(void);

/* The same for a person, as in "confined without WHAT". False: @lacking is none. */
bool confine_tell_lacking(unsigned lacking, struct error *what);

/* For the files of this room: each does one part. 0 or -errno. */
int confine_bound(const struct confine_bounds *b);
int confine_drop_capabilities(void);
int confine_files(void);
int confine_syscalls(void);

#endif
