/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_WATCH_H
#define MPROF_BREAKPOINTS_WATCH_H

#include "observer.h"
#include "attach/tracer.h"
#include "probes/rules.h"
#include "probes/scan.h"

/*
 * A program under observation: plants breakpoints on its allocator functions and turns the calls
 * they catch into allocation events. There is one struct watch for each address space.
 */

/* What all watched programs share. */
struct watch_shared {
	struct module_files files;
	struct scans scans;
	struct rules *rules;	/* which functions get breakpoints; borrowed */
	struct journal *journal;	/* NULL: there is no watchdog */
	bool no_traps;		/* plant none: only chains are wanted */
	bool check_unwinding;	/* compare every chain with one unwound afresh */
	const struct engine_ops *engine; /* sees the calls that it can see without a trap; NULL: all
					    are trapped */
	struct engine_shared *engine_shared;
	bool engine_optional;	/* where it cannot be used all calls are trapped, and the user is
				   told */
	enum tracer_wait wait_for_traps; /* ... and this is how stops are waited for then */
	struct tracer *tracer;
};

/* Before anything is watched: @rules must outlive it. */
void watch_shared_rules(struct watch_shared *s, struct rules *rules);
void watch_shared_release(struct watch_shared *s);

struct engine_ops;
struct engine_shared;
struct watch;

/**
 * Watch the program in a space from here on; all its tasks are stopped, @task among them. What it
 * does is reported to @sink for @image.
 * Returns NULL with *err: -ENOMEM or -ESRCH.
 */
struct watch *watch_new(struct watch_shared *shared, struct task *task,
			const struct observer_sink *sink, void *image, int *err);

/* Why the program cannot be watched as was requested, or NULL. */
const char *watch_refusal(const struct watch *w);
/* The same as -errno, or 0: it can be. -ESRCH: it has ended. */
int watch_refused(const struct watch *w);
/* Has its engine changes to make for which all tasks must be held? */
bool watch_is_to_arm(const struct watch *w);
/* Make them. If a task is in the way let all run for a moment and try again, a few times; then give
 * up. */
void watch_arm_held(struct watch *w);
/* The program was executed by one that was observed. It is observed even if the engine cannot be
 * used. */
void watch_is_executed(struct watch *w);
/* If the program or the session can do without the engine, and the engine sees no function of it
 * yet: trap all that the engine was to see. 0, or -errno: watch_refusal() stays. */
int watch_fall_back(struct watch *w);

/* Have the engine report all that the program has done so far; before a stop of it is served, and
 * now and then. @whole: see engine_ops.drain(). Returns the number of events. */
uint64_t watch_catch_up(struct watch *w, bool whole);

/* A task is about to get a signal. True: it is for a fault in the engine's code; do not deliver it,
 * and resume the task. */
bool watch_fault(struct watch *w, struct task *task);

/* Read a process's files beforehand, while it runs, so that it need not be stopped for that. */
void watch_prepare(struct watch_shared *shared, pid_t tid);

/* The same for a child made by fork: @space is a copy of the one @parent watches. */
struct watch *watch_fork(const struct watch *parent, const struct address_space *parent_space,
			 struct address_space *space, const struct observer_sink *sink, void *image,
			 int *err);

/* Give such a child an engine of its own, if @parent has one. @child: its only task. 0 or
 * -ENOMEM. */
int watch_fork_engine(struct watch *w, const struct watch *parent, struct task *child);

void watch_free(struct watch *w);

/* The counts so far, those of the engine included. */
struct observed_counts watch_counts(const struct watch *w);

/* With all tasks of the space stopped and settled: take the breakpoints out and see nothing until
 * they are put back, except for the functions of mprof.h. A program that execs or forks meanwhile
 * keeps this state. */
void watch_suspend(struct watch *w);
void watch_resume(struct watch *w, pid_t tid);

/* What is mapped for execution; valid until the next event. */
const struct mappings *watch_mappings(const struct watch *w);

/* The number of the program's own file, or NO_FILE. */
uint32_t watch_program(const struct watch *w);

/* Does the program still have the memory in which it was observed? Not after an exec, or its
 * end. */
bool watch_has_memory(const struct watch *w);

/* Is there an allocator that can be observed, or may one be loaded with a library? */
bool watch_can_see(const struct watch *w);

/**
 * The chain of a stopped task from its pc on, innermost the instruction that it will run next; the
 * frames are good until the next call. 0 or -errno.
 */
int watch_chain(struct watch *w, struct task *task, struct alloc_chain *chain);

/* What is mapped for execution has changed. */
void watch_remapped(struct watch *w, pid_t tid);

/* A thread of the watched space has not run yet. */
void watch_thread_begins(struct watch *w, struct task *task);

/* @child has a copy of what the thread @parent had when it forked: its stack, and its default
 * pool. */
void watch_thread_forked(struct task *child, const struct task *parent);

/* The handlers of struct tracer_ops, for a task of the watched space. */
enum trap_answer watch_trap(struct watch *w, struct task *task, bool certain);
void watch_alone(struct watch *w, struct task *task, bool out, bool stepped);
bool watch_settle(struct watch *w, struct task *task, bool trapped);
void watch_task_gone(struct watch *w, struct task *task);
/* Forget the calls that the task is in: they will not be seen to return (watch_suspend()). */
void watch_forget_calls(struct watch *w, struct task *task);
/* Observation ends, and all tasks are stopped: say if the program has overwritten breakpoints or
 * the engine's jumps with code of its own. */
void watch_say_undone(struct watch *w);
/* Take everything of ours out of the program, all of whose tasks are stopped. 0, or -EAGAIN: a task
 * is executing it; let all run for a moment and call it again. */
int watch_clean(struct watch *w);
/* The same for a forked copy of it, whose only task has not run yet. */
void watch_clean_copy(const struct watch *w, struct task *child);

#endif
