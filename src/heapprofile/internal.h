/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPPROFILE_INTERNAL_H
#define MPROF_HEAPPROFILE_INTERNAL_H

/* Shared by the files of this room: heapprofile.c (counting, and when to write), contexts.c (from
 * counts to stacks of addresses), files.c (names, maps, writing), outside.c. */

#include "heapprofile/heapprofile.h"
#include "heapprofile/mapped.h"
#include "pprof/stacktable.h"
#include "syscall_call.h"

/* Counts of one leaf since recording began. */
struct heap_count {
	uint64_t allocs, frees;
};

/* A mapping of code: current, or the last one before its file was unloaded. */
struct heap_module {
	struct mapping m;
	bool mapped;
};

struct heapprofile {
	struct recorder r;	/* first */
	struct heapprofile_how how;
	/* Our own profile, if recording began later than the image, whose profile has older blocks.
	 * It gets the same events, and frame numbers are the same. */
	struct profile *own;
	struct heap_count *counts;	/* by leaf */
	size_t n_counts;
	struct mapped mapped;	/* by nodes of the image's profile */
	struct heap_totals totals;
	struct heap_marks marks;
	uint64_t lost;		/* number of events: out of memory */
	unsigned unwritten;	/* number of profiles that could not be written; each was
				   reported */
	bool on;
	char *prefix;		/* of file names, expanded; NULL: none yet */
	unsigned number;	/* of the last file */
	char *map;		/* /proc/PID/maps when last read */
	struct heap_module *modules;
	size_t n_modules, cap_modules;
};

/* The profile that our counts belong to. */
const struct profile *heap_counted(const struct heapprofile *h);

/* contexts.c */

/* Make stacks of all contexts, those with most bytes in use first. 0 or -ENOMEM. */
int heap_contexts(const struct heapprofile *h, struct stack_table *t);

/* The same for mapped memory. */
int heap_mapped_contexts(const struct heapprofile *h, struct stack_table *t);

/* True if all frames of a chain are in the dynamic loader. */
bool heap_is_loader(const struct heapprofile *h, uint32_t node);

/* The end of [heap] in the map; 0: there is none. */
taddr heap_end_of_break(const struct heapprofile *h);

/* The module that contains an address of a context; NULL: none. */
const struct heap_module *heap_module_at(const struct heapprofile *h, taddr address);

/* Update where modules are, and were. */
void heap_modules(struct recorder *r, const struct mappings *maps);

/* outside.c: other calls and signals of the process */

/* Print a line for each call that changes mappings, if the log is wanted. */
void heap_call(struct recorder *r, const struct syscall_call *c);
/* Handle the signal that asks for a profile. If the program has a handler for it, it gets the
 * signal, too. */
bool heap_signal(struct recorder *r, pid_t tid, int sig);

/* files.c */

/* Read what is mapped now; if that fails, the last map is kept. */
void heap_read_map(struct heapprofile *h);

/* Set the prefix for this process. 0, or -errno with a sentence in @e. */
int heap_set_prefix(struct heapprofile *h, const char *prefix, struct error *e);

/* Delete PREFIX.*.heap. */
void heap_cleanup(const struct heapprofile *h);

/* Write the profile's text. 0 or -errno. */
int heap_write_text(struct heapprofile *h, FILE *out);

/* Write the next file. 0, or -errno with a sentence in @e. */
int heap_write_file(struct heapprofile *h, char **path, struct error *e);

#endif
