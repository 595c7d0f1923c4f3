/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OWNHEAP_H
#define MPROF_OWNHEAP_H

#include <stdbool.h>

/* What a program's or a library's file tells of the allocator in it, besides the names of its
 * functions. */
struct ownheap {
	/* The language whose objects are in a heap of the file's own, "Java"; no function of that
	 * can be trapped as malloc is. NULL: none that is known. */
	const char *language;
	/* Python's pymalloc, for what has at most 512 bytes: a variable of the environment can
	 * switch it off. */
	bool python;
	bool dynamic;	/* it asks for an interpreter: libraries come with it */
	bool symbols;	/* it has a table of symbols that is for others than the dynamic linker */
};

/* Look at the file open as @fd, which stays open. Of what is no ELF file nothing is told. */
struct ownheap ownheap_of(int fd);

#endif
