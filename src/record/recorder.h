/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_RECORD_RECORDER_H
#define MPROF_RECORD_RECORDER_H

#include "alloc_event.h"
#include "page_event.h"
#include "profile/profile.h"
#include "syscall_call.h"

#include <sys/types.h>

/*
 * A recorder keeps an account of what a program image does, beside the profile: a timeline, a
 * sequence of heap profiles, a log. It is told every event after the profile has counted it. Each
 * kind of recorder embeds struct recorder as its first member.
 *
 * The image owns its recorders; they read its profile (call tree, leaves, places) and never change
 * it.
 */

struct mappings;

/* Something other than an allocation that belongs on the time axis. */
enum recorder_mark {
	RECORD_SUSPENDED, /* nothing is observed from here on */
	RECORD_RESUMED,
	RECORD_RESTARTED, /* mprof_restart(): the profile has begun anew and knows no block */
	RECORD_STAMP,	/* a user wants to find this moment again */
};

struct recorder {
	const struct recorder_ops *ops;
	struct recorder *next;
	struct recorder **handle; /* the maker's pointer to it, see recorders_add(); or NULL */
};

struct recorder_ops {
	/* An event of the program, and what it changed in the profile. */
	void (*event)(struct recorder *r, const struct alloc_event *e,
		      const struct block_change *c);
	/* A pause begins, and this live block may be freed unseen during it: it counts as gone from
	 * here on (struct profile, totals.missed). Not a call of the program. May be NULL. */
	void (*missed)(struct recorder *r, const struct alloc_event *e,
		       const struct block_change *c);
	/* May be NULL. @task: the thread that asked for it; 0: none in the program. */
	void (*mark)(struct recorder *r, enum recorder_mark mark, pid_t task, uint64_t time_ns);
	/* A change of the program's address space, by the chain that ends at @node. May be NULL. */
	void (*pages)(struct recorder *r, const struct page_event *e, uint32_t node);
	/* A thread was created and has not run yet, or has ended. May be NULL. */
	void (*thread)(struct recorder *r, pid_t tid, bool begins);
	/* Make the recorder for process @pid, a forked child with the profile @child: one that
	 * continues from the state of @r, or a new one; it is in no list yet. NULL: out of
	 * memory. */
	struct recorder *(*fork)(const struct recorder *r, const struct profile *child, pid_t pid);
	/* The image is over: write what is to be written; errors are printed. May be NULL. */
	void (*end)(struct recorder *r);
	void (*free)(struct recorder *r);
	/* All of the following may be NULL. */
	/* The executable mappings have changed; a task of the process is stopped. */
	void (*modules)(struct recorder *r, const struct mappings *maps);
	/* A system call has returned. */
	void (*call)(struct recorder *r, const struct syscall_call *c);
	/* The process's memory is about to become unreadable. */
	void (*leaving)(struct recorder *r);
	/* A signal is about to be delivered to a thread. True: it was meant for the recorder, and
	 * the program must not see it. */
	bool (*signal)(struct recorder *r, pid_t tid, int sig);
	/* Called periodically with the time. */
	void (*tick)(struct recorder *r, uint64_t now_ns);
	/* A user wants recording to go on, or to begin if it was deferred. */
	void (*resume)(struct recorder *r, uint64_t now_ns);
	/* Add what only this recorder knows to the profile that is about to be written. 0 or
	 * -ENOMEM. */
	int (*report)(const struct recorder *r, struct profile_data *d);
	/* True if something could not be written; that was reported when it happened. */
	bool (*failed)(const struct recorder *r);
	/* No more events, and all files beside the report have been written. True: the report does
	 * not need this recorder either, and it can be freed. */
	bool (*finish)(struct recorder *r);
};

/* Put @r in front of a list. *handle is set to @r until @r is freed, and to NULL then, for a maker
 * that needs more of it than its operations. @handle may be NULL. */
void recorders_add(struct recorder **list, struct recorder *r, struct recorder **handle);

/* Each calls the operation of the same name of all recorders of a list; an empty list is NULL. */
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

/* True: one of the recorders took the signal; the others are not told. */
bool recorders_signal(struct recorder *list, pid_t tid, int sig);

/* 0 or -ENOMEM. */
int recorders_report(const struct recorder *list, struct profile_data *d);

/* True if one of them could not write something. */
bool recorders_failed(const struct recorder *list);

/* Free those that are not needed any more. */
void recorders_finish(struct recorder **list);

#endif
