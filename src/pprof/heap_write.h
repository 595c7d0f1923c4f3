/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_HEAP_WRITE_H
#define MPROF_PPROF_HEAP_WRITE_H

#include "pprof/stacktable.h"

#include <stdio.h>

/* What stands behind the "@" of the first line if there are negative numbers below: google-pprof
 * and the newer pprof take the word before the slash, and mprof takes no negative numbers without
 * it. */
#define HEAP_DIFFERENCE "heapprofile/difference"

/* Names for the addresses of a profile that shall need no binary. */
struct heap_names {
	const char *binary;	/* the program's file */
	/* The functions at an address, the physical one first, then what was inlined into it, as
	 * google-pprof wants them: calls @name for each. @address as in the list, @first: it stands
	 * first in a stack. 0 or -ENOMEM. */
	int (*of)(void *ctx, uint64_t address, bool first, void (*name)(void *to, const char *name),
		  void *to);
	void *ctx;
};

/**
 * Write the path of a mapping: control characters, and what else printable() finds harmful, in
 * octal, as the kernel has a newline in /proc/PID/maps. Bytes from 0xa0 on that are no UTF-8 stay:
 * they are letters in other encodings, and no terminal obeys them.
 */
void heap_write_path(FILE *out, const char *path);

/**
 * Write a profile in the text format of the gperftools heap profiler, doc/formats.md, section 2.4.
 * @stacks  their elements are addresses as they are to be printed; sorted already
 * @mapped  of mapped memory: stand before the others and are not in the totals; NULL: none
 * @map     the lines of /proc/PID/maps, written as heap_write_path() does it; NULL: none
 * @names   NULL: without a table of names
 * A stack without elements gets the address 0. The caller looks at ferror(). 0 or -ENOMEM.
 */
int heap_write(FILE *out, const struct stack_table *stacks, const struct stack_table *mapped,
	       const char *map, const struct heap_names *names);

#endif
