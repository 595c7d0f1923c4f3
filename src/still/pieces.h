/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_STILL_PIECES_H
#define MPROF_STILL_PIECES_H

#include "taddr.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Copying pieces of a process's memory by several threads of our own. One thread copies about 4 GB
 * a second, for the kernel looks up each page; and for this time the program is stopped.
 */

struct piece {
	taddr at;
	uint64_t size;
	uint8_t *to;
	uint64_t got; /* bytes from its start that could be read */
};

struct pieces {
	struct piece *v;
	size_t n, cap;
};

void pieces_release(struct pieces *p);

/* Add [@at, @at + @size), to be copied to @to. 0 or -ENOMEM. */
int pieces_add(struct pieces *p, taddr at, uint64_t size, uint8_t *to);

/* Add what is behind the page of @piece that could not be read, if there was one. 0 or -ENOMEM. */
int pieces_add_rest(struct pieces *p, const struct piece *piece, uint64_t page_size);

/* How many threads may copy: the processors that we may run on, a few at most. */
unsigned pieces_threads(void);

/**
 * Copy all, and set in each piece how much was read.
 * @pid, @mem  the process, and its /proc/PID/mem, for where process_vm_readv(2) is not allowed
 * @threads    how many to use, including this one; fewer if they cannot be started
 * @until_ns   of CLOCK_MONOTONIC; no piece is begun after that
 * Returns 0 or -ETIME.
 */
int pieces_copy(struct pieces *p, pid_t pid, int mem, unsigned threads, uint64_t until_ns);

#endif
