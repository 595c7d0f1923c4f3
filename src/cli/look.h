/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LOOK_H
#define MPROF_CLI_LOOK_H

#include "cli/cli.h"
#include "heapwalk/walk.h"
#include "report/heap.h"
#include "still/take.h"

enum { LOOK_VERSION = 32 };

/* A look at a process: shared by heap, leaks and rss. */
struct look {
	struct still_taken taken;
	struct heap_walk walk;
	int walk_err; /* 0: its heap has been walked; otherwise the error of heap_walk() */
	struct look_facts facts;
	char name[128];
	bool sealed, running; /* as in struct still_asked */
	/* Holds the process if a session of ours traces it; NULL: it is stopped for the look. */
	struct still_holder *holder;
	/* Called while the process is held, after the copying; may be NULL. 0 or -errno. */
	int (*held)(void *ctx, const struct still_files *f);
	void *ctx;
};

/* The only process that the arguments name. 0 or a status: a sentence has been printed. */
int look_meant(const struct options *o, int argc, char **argv, pid_t *pid);

/**
 * Stop the process, copy its memory, let it go, and walk its heap; again if the allocator was just
 * changing its books. The caller has set the fields above. Returns 0, and look_release() must be
 * called, or a status: a sentence has been printed.
 */
int look_at(struct look *l, const struct options *o, pid_t pid);

/* Say why the heap was not walked. Returns a status. */
int look_refuse(const struct look *l);

/* The results of the walk for a report. @version: room for the allocator's version, to which the
 * report points. */
struct heap_report look_heap(const struct look *l, const struct options *o,
			     char version[LOOK_VERSION]);

/* Say if there are other allocators, which were not walked. */
void look_say_others(const struct look *l);

/**
 * Like look_at() for a process that can be looked at, without printing.
 * Returns 0 or -errno as still_take(), with a sentence in @e or none.
 */
int look_repeatedly(struct look *l, const struct options *o, pid_t pid, struct error *e);

/* Why its heap was not walked, as the end of a sentence; l->walk_err must not be 0. */
void look_why_not_walked(const struct look *l, struct error *e);

/* Free what look_at() or look_repeatedly() has set. */
void look_release(struct look *l);

/* Print to the file of -o. @print: 0 or -errno. Returns a status. */
int look_print(const struct options *o, int (*print)(void *ctx, FILE *out), void *ctx);

#endif
