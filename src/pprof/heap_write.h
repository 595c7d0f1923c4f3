/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_HEAP_WRITE_H
#define MPROF_PPROF_HEAP_WRITE_H

#include "pprof/stacktable.h"

#include <stdio.h>

/* Follows the "@" of the first line if there are negative numbers: google-pprof and the newer pprof
 * use the word before the slash only, and mprof accepts negative numbers only with this. */
#define HEAP_DIFFERENCE "heapprofile/difference"

/* Names for the addresses of a profile, so that it can be read without the binary. */
struct heap_names {
	const char *binary;	/* the program's file */
	/* Call @name for each function at an address, the outermost (physical) one first, then
	 * those inlined into it, as google-pprof expects. @address as in the list; @first: it is
	 * the first in a stack. 0 or -ENOMEM. */
	int (*of)(void *ctx, uint64_t address, bool first, void (*name)(void *to, const char *name),
		  void *to);
	void *ctx;
};

/**
 * Write the path of a mapping: control characters, and whatever else printable() escapes, in octal,
 * as the kernel writes a newline in /proc/PID/maps. Bytes from 0xa0 on that are not valid UTF-8
 * stay: they are letters in other encodings, and do not control a terminal.
 */
void heap_write_path(FILE *out, const char *path);

/**
 * Write a profile in the text format of the gperftools heap profiler, doc/formats.md, section 2.4.
 * @stacks  sorted; their elements are the addresses to print
 * @mapped  of mapped memory: printed before the others, not in the totals; NULL: none
 * @map     the lines of /proc/PID/maps, with paths as by heap_write_path(); NULL: none
 * @names   NULL: no table of names
 * An empty stack gets the address 0. The caller checks ferror(). 0 or -ENOMEM.
 */
int heap_write(FILE *out, const struct stack_table *stacks, const struct stack_table *mapped,
	       const char *map, const struct heap_names *names);

#endif
