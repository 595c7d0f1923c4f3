/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_RECORDER_H
#define MPROF_MASSIF_RECORDER_H

#include "massif/icount.h"
#include "massif/names.h"
#include "massif/pages.h"
#include "massif/settings.h"
#include "massif/stacks.h"
#include "record/recorder.h"

/*
 * Massif's account of a program image: bytes by context, and the table of snapshots.
 *
 * A context is identified by its node in the profile's call tree. The filter is applied only when a
 * tree is printed; no name is looked up before that, except to find what is ignored.
 */

/* A context that has occurred. Contexts are never removed. */
struct massif_context {
	uint32_t node;		/* in the profile's call tree */
	bool ignored;
	uint64_t bytes;		/* live bytes */
};

/* What a recorder needs; all of it must outlive the recorder. */
struct massif_host {
	const struct massif_settings *settings;
	/* It reads no files. If the filter depends on names, it asks for each new context, while
	 * the program waits. */
	struct namer *namer;
	/* The current parameters for looking up names. */
	struct namer_asks (*asks)(void *ctx);
	void *ctx;
	const struct stack_source *stacks;	/* for settings->stacks, and settings->pages */
	const struct page_source *pages;	/* for settings->pages */
	const struct icount_source *instructions; /* for time in instructions */
};

struct massif_recorder;

/* For process @pid, which begins now, or whose threads are all stopped. NULL: out of memory. */
struct massif_recorder *massif_recorder_new(const struct massif_host *host, const struct profile *p,
					    pid_t pid);

/* Convert to struct recorder and back; NULL becomes NULL. */
struct recorder *massif_recorder_base(struct massif_recorder *r);
struct massif_recorder *massif_recorder_of(struct recorder *base);

/* Its snapshots so far, and its @n contexts; owned by the recorder, valid until the next event. */
const struct massif_table *massif_recorder_table(const struct massif_recorder *r);
const struct massif_context *massif_recorder_contexts(const struct massif_recorder *r, size_t *n);

/* The names of the profile's places; owned by the recorder. NULL: out of memory. */
struct massif_names *massif_recorder_names(struct massif_recorder *r);

/**
 * Take a snapshot of this moment without adding it to the table; reads the stack pointers of
 * sleeping threads.
 * @s  the caller must free() its detail, if @detailed     Returns 0 or -ENOMEM.
 */
int massif_recorder_snapshot(struct massif_recorder *r, bool detailed, struct massif_snapshot *s);

/* The counter of instructions: what it could not count, and whether it is exact. */
const struct icount *massif_recorder_instructions(const struct massif_recorder *r);

/* Number of events that could not be counted: out of memory. */
uint64_t massif_recorder_lost(const struct massif_recorder *r);

#endif
