/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OWNHEAP_H
#define MPROF_OWNHEAP_H

#include <stdbool.h>

enum ownheap_language {
	OWNHEAP_NONE,	/* none that is known */
	OWNHEAP_GO,
	OWNHEAP_JAVA,
	OWNHEAP_NET,
	OWNHEAP_JAVASCRIPT,
	OWNHEAP_LANGUAGES
};

/* What the file of a program or library shows of the allocator in it, besides the names of its
 * functions. */
struct ownheap {
	/* The language whose objects are in a heap that the file manages itself; no function of it
	 * can be trapped like malloc. */
	enum ownheap_language language;
	/* Python's pymalloc, for up to 512 bytes: a variable of the environment can switch it
	 * off. */
	bool python;
	bool dynamic;	/* it has an interpreter, so libraries are loaded with it */
	bool unread;	/* the process that was to read it failed: nothing is known */
	bool symbols;	/* it has a symbol table besides .dynsym */
};

/* "Java", for people. */
const char *ownheap_language_name(enum ownheap_language l);

/* Inspect the file open as @fd, which stays open. For what is no ELF file, everything is 0. */
struct ownheap ownheap_of(int fd);

#endif
