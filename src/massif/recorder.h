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
 * A context is known here by its node in the profile's call tree. What the filter leaves of it
 * matters only when a tree is printed; no name is looked up before, except to know what is to be
 * ignored.
 */

/* One that has been seen. They are never forgotten. */
struct massif_context {
	uint32_t node;		/* of the profile's call tree */
	bool ignored;
	uint64_t bytes;		/* live now */
};

/* What a recorder needs besides: all of it outlives the recorder. */
struct massif_host {
	const struct massif_settings *settings;
	/* One that reads nothing; or that reads, where names decide of each new context, while the
	 * program waits, whether it is counted. */
	struct namer *namer;
	/* How it is to ask, by now. */
	struct namer_asks (*asks)(void *ctx);
	void *ctx;
	const struct stack_source *stacks;	/* for settings->stacks, and settings->pages */
	const struct page_source *pages;	/* for settings->pages */
	const struct icount_source *instructions; /* for time in instructions */
};

struct massif_recorder;

/* Of process @pid, which begins now, or whose threads are all stopped. NULL: out of memory. */
struct massif_recorder *massif_recorder_new(const struct massif_host *host, const struct profile *p,
					    pid_t pid);

/* As a recorder, and back; NULL is NULL. */
struct recorder *massif_recorder_base(struct massif_recorder *r);
struct massif_recorder *massif_recorder_of(struct recorder *base);

const struct massif_table *massif_recorder_table(const struct massif_recorder *r);
const struct massif_context *massif_recorder_contexts(const struct massif_recorder *r, size_t *n);

/* The names of its profile's places; NULL: out of memory. They belong to the recorder. */
struct massif_names *massif_recorder_names(struct massif_recorder *r);

/**
 * A snapshot of this moment, which the table knows nothing of; the stacks of threads that sleep are
 * looked at for it.
 * @s  its detail, if it was asked for, is the caller's to free()     Returns 0 or -ENOMEM.
 */
int massif_recorder_snapshot(struct massif_recorder *r, bool detailed, struct massif_snapshot *s);

/* The counter behind time in instructions: what it could not count, and whether it is exact. */
const struct icount *massif_recorder_instructions(const struct massif_recorder *r);

/* Events that could not be accounted for: out of memory. */
uint64_t massif_recorder_lost(const struct massif_recorder *r);

#endif
