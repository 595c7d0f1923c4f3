/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_STILL_PIECES_H
#define MPROF_STILL_PIECES_H

#include "taddr.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Copying pieces of a process's memory by several threads of our own. One copies about 4 GB a
 * second, as the kernel looks each page up; and what the program's tasks are held for is this.
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
 * Copy all, and say in each piece how much was got.
 * @pid, @mem  the process, and its /proc/PID/mem, for where process_vm_readv(2) is not allowed
 * @threads    how many to use, this one among them; with fewer, where there cannot be so many
 * @until_ns   of CLOCK_MONOTONIC; no piece is begun after that
 * Returns 0 or -ETIME.
 */
int pieces_copy(struct pieces *p, pid_t pid, int mem, unsigned threads, uint64_t until_ns);

#endif
