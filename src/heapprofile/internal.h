/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPPROFILE_INTERNAL_H
#define MPROF_HEAPPROFILE_INTERNAL_H

/* What the files of this room share: heapprofile.c (counting, and when to write), contexts.c
 * (counts to stacks of addresses), files.c (names, maps, writing). */

#include "heapprofile/heapprofile.h"
#include "heapprofile/mapped.h"
#include "pprof/stacktable.h"
#include "syscall_call.h"

/* Calls of one leaf since recording began. */
struct heap_count {
	uint64_t allocs, frees;
};

/* A mapping of code as it is, or, after its file was unloaded, as it was. */
struct heap_module {
	struct mapping m;
	bool mapped;
};

struct heapprofile {
	struct recorder r;	/* first */
	struct heapprofile_how how;
	/* A profile of our own, if recording began later than the image: that one's profile knows
	 * blocks that we do not. It is fed the same events, so frames have the same numbers. */
	struct profile *own;
	struct heap_count *counts;	/* by leaf */
	size_t n_counts;
	struct mapped mapped;	/* by nodes of the image's profile */
	struct heap_totals totals;
	struct heap_marks marks;
	uint64_t lost;		/* events: out of memory */
	unsigned unwritten;	/* profiles; of each it has been said why */
	bool on;
	char *prefix;		/* of file names, expanded; NULL: none yet */
	unsigned number;	/* of the last file */
	char *map;		/* the lines of /proc/PID/maps when it was last looked at */
	struct heap_module *modules;
	size_t n_modules, cap_modules;
};

/* The profile whose leaves our counts are about. */
const struct profile *heap_counted(const struct heapprofile *h);

/* contexts.c */

/* All contexts, most bytes in use first. 0 or -ENOMEM. */
int heap_contexts(const struct heapprofile *h, struct stack_table *t);

/* The same of what is mapped. */
int heap_mapped_contexts(const struct heapprofile *h, struct stack_table *t);

/* Is a node's chain entirely in the dynamic loader? */
bool heap_is_loader(const struct heapprofile *h, uint32_t node);

/* Where the heap ends by the map; 0: there is none. */
taddr heap_end_of_break(const struct heapprofile *h);

/* The module that has an address of a context; NULL: none. */
const struct heap_module *heap_module_at(const struct heapprofile *h, taddr address);

/* Where modules are, and were. */
void heap_modules(struct recorder *r, const struct mappings *maps);

/* outside.c: what the process does besides allocating */

/* A line for each call that changes what is mapped, if a log of them is wanted. */
void heap_call(struct recorder *r, const struct syscall_call *c);
/* The signal that asks for a profile; the program's, too, if it has a handler for it. */
bool heap_signal(struct recorder *r, pid_t tid, int sig);

/* files.c */

/* What is mapped now, if that can be told; else it stays what it was. */
void heap_read_map(struct heapprofile *h);

/* PREFIX of this process. 0, or -errno with a sentence. */
int heap_set_prefix(struct heapprofile *h, const char *prefix, struct error *e);

/* Delete PREFIX.*.heap. */
void heap_cleanup(const struct heapprofile *h);

/* The profile's text. 0 or -errno. */
int heap_write_text(struct heapprofile *h, FILE *out);

/* The next file. 0, or -errno with a sentence. */
int heap_write_file(struct heapprofile *h, char **path, struct error *e);

#endif
