/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_WATCH_H
#define MPROF_BREAKPOINTS_WATCH_H

#include "alloc_event.h"
#include "attach/tracer.h"
#include "breakpoints/rules.h"
#include "breakpoints/scan.h"

/*
 * A program under observation: plants traps on its allocator functions and turns what they catch
 * into allocation events. One struct watch for each address space.
 */

/* Where the events go, and who numbers the frames of their chains. */
struct watch_sink {
	/* 0, or -ENOMEM: the event could not be counted. */
	int (*event)(void *ctx, const struct alloc_event *e);
	/* Does anybody record a request of so many bytes? */
	bool (*wants)(void *ctx, uint64_t size);
	/* Is it a block whose allocation was told and whose free was not? */
	bool (*knows)(void *ctx, taddr ptr);
	/* The number of a place: @address relative to the load bias of module file @file, or absolute
	 * if that is NO_FILE. @exact, @guessed: as in struct profile_place. UINT32_MAX: out of memory. */
	uint32_t (*frame)(void *ctx, uint32_t file, uint64_t address, bool exact, bool guessed);
	/* The program called one of the functions of mprof.h, with @arg. */
	void (*mark)(void *ctx, struct task *task, enum probe_kind mark, uint64_t arg);
	/* The program called a function that may be answered in its place (probe kinds ASK_...), with
	 * its first two arguments. True: it returns *result at once; false: it runs. */
	bool (*ask)(void *ctx, struct task *task, enum probe_kind what, const uint64_t arg[2],
		    uint64_t *result);
	/* What is mapped for execution has changed. */
	void (*modules)(void *ctx, const struct mappings *maps);
	void *ctx;
};

/* What all watched programs share. */
struct watch_shared {
	struct module_files files;
	struct scans scans;
	struct rules *rules;	/* what is trapped; not owned */
	struct guard *guard;	/* NULL: nobody watches over us */
	bool no_traps;		/* plant none: only chains are asked for */
	bool check_unwinding;	/* compare every chain with one unwound afresh */
};

/* Before anything is watched: @rules must outlive it. */
void watch_shared_rules(struct watch_shared *s, struct rules *rules);
void watch_shared_release(struct watch_shared *s);

struct watch;

/* What is known of how well it goes. */
struct watch_counts {
	uint64_t traps;		/* hits served */
	uint64_t planted;	/* traps written */
	uint64_t steps;		/* instructions that had to run alone at their own place */
	/* Of the hits, those that meant nothing: entries of calls the allocator made itself, returns
	 * from no call of its, frees of no block. */
	uint64_t nested, strays, null_frees;
	uint64_t lost;		/* events that could not be counted: out of memory */
	uint64_t unwanted;	/* requests that nobody records: what came of them was not waited for */
	/* Calls after these that may have been theirs, but for all that is known of the stack were the
	 * program's. After the first one all returns are waited for. */
	uint64_t doubtful;
	bool trapped;		/* a function that tells of memory has been trapped, or none need be */
	unsigned taken;		/* functions where somebody else's breakpoint stood already */
	uint64_t unwind_known, unwind_made; /* steps of unwindings: remembered, made by libunwind */
	uint64_t unwind_checked, unwind_wrong; /* chains compared with one unwound afresh, and found
						  to differ (watch_shared.check_unwinding) */
};

/**
 * Watch the program in a space from here on; a task of it is stopped.
 * Returns NULL with *err: -ENOMEM or -ESRCH.
 */
struct watch *watch_new(struct watch_shared *shared, struct space *space, pid_t tid,
			const struct watch_sink *sink, int *err);

/* Look at a process's files beforehand, while it runs, so that it need not be stopped for that. */
void watch_prepare(struct watch_shared *shared, pid_t tid);

/* The same for a child made by fork: @space is a copy of the one @parent watches. */
struct watch *watch_fork(const struct watch *parent, const struct space *parent_space,
			 struct space *space, const struct watch_sink *sink, int *err);

void watch_free(struct watch *w);

struct watch_counts watch_counts(const struct watch *w);

/* With all tasks of the space stopped and settled: take the traps out and see nothing until they are
 * put back, but for the functions of mprof.h. A program that execs or forks meanwhile keeps this state. */
void watch_suspend(struct watch *w);
void watch_resume(struct watch *w, pid_t tid);

/* What is mapped for execution; valid until the next event. */
const struct mappings *watch_mappings(const struct watch *w);

/* The number of the program's own file, or NO_FILE. */
uint32_t watch_program(const struct watch *w);

/* Whether there is, or may come with a library, an allocator to be seen. */
bool watch_can_see(const struct watch *w);

/**
 * The chain of a stopped task from where it is, innermost the instruction it will run next; the frames
 * are good until the next call. 0 or -errno: it cannot be had.
 */
int watch_chain(struct watch *w, struct task *task, struct alloc_chain *chain);

/* What is mapped for execution has changed. */
void watch_remapped(struct watch *w, pid_t tid);

/* A thread of the watched space has not run yet. */
void watch_thread_begins(struct task *task);

/* @child has a copy of what the thread @parent had when it forked: its stack, and its default pool. */
void watch_thread_forked(struct task *child, const struct task *parent);

/* The handlers of struct tracer_ops, for a task of the watched space. */
enum trap_answer watch_trap(struct watch *w, struct task *task, bool certain);
void watch_alone(struct watch *w, struct task *task, bool out, bool stepped);
bool watch_settle(struct watch *w, struct task *task, bool trapped);
void watch_task_gone(struct watch *w, struct task *task);
/* The calls the task is in will not be seen to return (watch_suspend()). */
void watch_forget_calls(struct watch *w, struct task *task);
void watch_clean(const struct watch *w, const struct space *space);

#endif
