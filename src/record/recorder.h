/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_RECORD_RECORDER_H
#define MPROF_RECORD_RECORDER_H

#include "alloc_event.h"
#include "page_event.h"
#include "profile/profile.h"
#include "syscall_call.h"

#include <sys/types.h>

/*
 * Whoever keeps an account of its own of what a program image does, beside the profile: a timeline,
 * a sequence of heap profiles, a log. A recorder is told every event after the profile has counted
 * it. Each concern embeds struct recorder as the first member of its own.
 *
 * The image owns its recorders; they read its profile (call tree, leaves, places) and never change
 * it.
 */

struct mappings;

/* Something other than an allocation that belongs on the time axis. */
enum recorder_mark {
	RECORD_SUSPENDED, /* from here on nothing is seen */
	RECORD_RESUMED,
	RECORD_RESTARTED, /* mprof_restart(): the profile has begun anew and knows no block */
	RECORD_STAMP,	/* somebody wants to find this moment again */
};

struct recorder {
	const struct recorder_ops *ops;
	struct recorder *next;
	struct recorder **handle; /* where its maker has it; NULL: nowhere */
};

struct recorder_ops {
	/* What the program did, and what that changed in the profile. */
	void (*event)(struct recorder *r, const struct alloc_event *e,
		      const struct block_change *c);
	/* A pause begins, and a block that is there may be gone at its end: from here on it counts
	 * as gone (struct profile, totals.missed). No call of the program's. May be NULL. */
	void (*missed)(struct recorder *r, const struct alloc_event *e,
		       const struct block_change *c);
	/* May be NULL. @task: the thread that asked for it; 0: somebody from outside. */
	void (*mark)(struct recorder *r, enum recorder_mark mark, pid_t task, uint64_t time_ns);
	/* What the program did with its address space, by the chain that ends at @node. May be
	 * NULL. */
	void (*pages)(struct recorder *r, const struct page_event *e, uint32_t node);
	/* A thread has been made and has not run yet, or has ended. May be NULL. */
	void (*thread)(struct recorder *r, pid_t tid, bool begins);
	/* The recorder of process @pid, made by fork, whose profile is @child: one that goes on
	 * where @r is, or a new one; it is in no list yet. NULL: out of memory. */
	struct recorder *(*fork)(const struct recorder *r, const struct profile *child, pid_t pid);
	/* The image is over: write what is to be written; errors are printed. May be NULL. */
	void (*end)(struct recorder *r);
	void (*free)(struct recorder *r);
	/* All that follow may be NULL. */
	/* What is mapped for execution has changed; a task of the process is stopped. */
	void (*modules)(struct recorder *r, const struct mappings *maps);
	/* A system call has returned. */
	void (*call)(struct recorder *r, const struct syscall_call *c);
	/* The process's memory is about to go out of reach. */
	void (*leaving)(struct recorder *r);
	/* A thread gets a signal. True: it was meant for the recorder, and the program shall not
	 * see it. */
	bool (*signal)(struct recorder *r, pid_t tid, int sig);
	/* Time has passed. */
	void (*tick)(struct recorder *r, uint64_t now_ns);
	/* Somebody from outside wants recording to go on, or to begin if it was deferred. */
	void (*resume)(struct recorder *r, uint64_t now_ns);
	/* Add to the profile that is about to be written what only this recorder knows. 0 or
	 * -ENOMEM. */
	int (*report)(const struct recorder *r, struct profile_data *d);
	/* Something that was to be written could not be; it was said then. */
	bool (*failed)(const struct recorder *r);
	/* Nothing more will come, and what is to be written beside the report has been. True: the
	 * report does not need this recorder either, it is to be freed. */
	bool (*finish)(struct recorder *r);
};

/* Put @r in front of a list. Until it is freed *handle is @r, for its maker, who may have more to
 * ask of it than its operations; then NULL. @handle may be NULL. */
void recorders_add(struct recorder **list, struct recorder *r, struct recorder **handle);

/* For all recorders of a list; an empty one is NULL. */
void recorders_event(struct recorder *list, const struct alloc_event *e,
		     const struct block_change *c);
void recorders_missed(struct recorder *list, const struct alloc_event *e,
		      const struct block_change *c);
void recorders_mark(struct recorder *list, enum recorder_mark mark, pid_t task, uint64_t time_ns);
void recorders_pages(struct recorder *list, const struct page_event *e, uint32_t node);
void recorders_thread(struct recorder *list, pid_t tid, bool begins);
void recorders_end(struct recorder *list);
void recorders_free(struct recorder *list);

void recorders_modules(struct recorder *list, const struct mappings *maps);
void recorders_call(struct recorder *list, const struct syscall_call *c);
void recorders_leaving(struct recorder *list);
void recorders_tick(struct recorder *list, uint64_t now_ns);
void recorders_resume(struct recorder *list, uint64_t now_ns);

/* True: a signal was meant for one of them, who alone is told. */
bool recorders_signal(struct recorder *list, pid_t tid, int sig);

/* 0 or -ENOMEM. */
int recorders_report(const struct recorder *list, struct profile_data *d);

/* Has one of them something that could not be written? */
bool recorders_failed(const struct recorder *list);

/* Free those that nobody needs any more. */
void recorders_finish(struct recorder **list);

#endif
