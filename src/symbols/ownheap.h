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

/* What a program's or a library's file tells of the allocator in it, besides the names of its
 * functions. */
struct ownheap {
	/* Whose objects are in a heap of the file's own; no function of that can be trapped as
	 * malloc is. */
	enum ownheap_language language;
	/* Python's pymalloc, for what has at most 512 bytes: a variable of the environment can
	 * switch it off. */
	bool python;
	bool dynamic;	/* it asks for an interpreter: libraries come with it */
	bool unread;	/* whoever was to read it could not, and nothing is known */
	bool symbols;	/* it has a table of symbols that is for others than the dynamic linker */
};

/* "Java", for a person. */
const char *ownheap_language_name(enum ownheap_language l);

/* Look at the file open as @fd, which stays open. Of what is no ELF file nothing is told. */
struct ownheap ownheap_of(int fd);

#endif
