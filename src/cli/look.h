/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LOOK_H
#define MPROF_CLI_LOOK_H

#include "cli/cli.h"
#include "heapwalk/walk.h"
#include "report/heap.h"
#include "still/take.h"

enum { LOOK_VERSION = 32 };

/* A look at a process: what heap, leaks and rss have in common. */
struct look {
	struct still_taken taken;
	struct heap_walk walk;
	int walk_err; /* 0: its heap has been walked; else why not, as heap_walk() */
	struct look_facts facts;
	char name[128];
	bool sealed, running; /* as in struct still_asked */
	/* Who holds the process, if a session of ours traces it; NULL: it is stopped for this. */
	struct still_holder *holder;
	/* While it is held, after the copying; may be NULL. 0 or -errno. */
	int (*held)(void *ctx, const struct still_files *f);
	void *ctx;
};

/* The one process that the arguments mean. 0 or a status: a sentence has been printed. */
int look_meant(const struct options *o, int argc, char **argv, pid_t *pid);

/**
 * Stop it, copy, let it go, and walk its heap; again if the books were being written meanwhile.
 * What is above for the caller to ask is set. Returns 0, and look_release() is to be called, or a
 * status: a sentence has been printed.
 */
int look_at(struct look *l, const struct options *o, pid_t pid);

/* Say why the heap has not been walked. Returns a status. */
int look_refuse(const struct look *l);

/* What has been walked, for a report. @version: room for the allocator's, which the result is to
 * point at. */
struct heap_report look_heap(const struct look *l, const struct options *o,
			     char version[LOOK_VERSION]);

/* Say that there are other allocators, if there are. */
void look_say_others(const struct look *l);

/**
 * The same of a process that can be looked at, without printing.
 * Returns 0 or -errno as still_take(), with a sentence in @e or none.
 */
int look_repeatedly(struct look *l, const struct options *o, pid_t pid, struct error *e);

/* Why its heap cannot be walked, as the end of a sentence: l->walk_err is not 0. */
void look_why_not_walked(const struct look *l, struct error *e);

void look_release(struct look *l);

/* Print what was asked for where -o says. @print: 0 or -errno. Returns a status. */
int look_print(const struct options *o, int (*print)(void *ctx, FILE *out), void *ctx);

#endif
