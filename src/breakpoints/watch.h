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
	bool no_traps;		/* plant none: only chains are asked for */
	bool check_unwinding;	/* compare every chain with one unwound afresh */
	const struct engine_ops *engine; /* sees what it can without a trap; NULL: all is trapped */
	struct engine_shared *engine_shared;
	bool engine_optional;	/* where it cannot be used all is trapped, which is said */
	enum tracer_wait wait_for_traps; /* ... and waited for like this */
	struct tracer *tracer;
};

/* Before anything is watched: @rules must outlive it. */
void watch_shared_rules(struct watch_shared *s, struct rules *rules);
void watch_shared_release(struct watch_shared *s);

struct engine_ops;
struct engine_shared;
struct watch;

/**
 * Watch the program in a space from here on; all tasks of it are stopped, @task among them. What it
 * does is told to @sink as @image's.
 * Returns NULL with *err: -ENOMEM or -ESRCH.
 */
struct watch *watch_new(struct watch_shared *shared, struct task *task,
			const struct observer_sink *sink, void *image, int *err);

/* Why the program cannot be watched as was asked for, or NULL. */
const char *watch_refusal(const struct watch *w);
/* The same as -errno; 0: it can. -ESRCH: it has ended. */
int watch_refused(const struct watch *w);
/* Has its engine something to change for which all tasks must be held? */
bool watch_is_to_arm(const struct watch *w);
/* Change it. If a task is in the way, all run for a moment, a few times; then that is refused. */
void watch_arm_held(struct watch *w);
/* It has been executed by a program that was observed. It goes on whatever its engine can do. */
void watch_is_executed(struct watch *w);
/* If it can do without its engine, or the session can, and that has not begun yet in this program:
 * trap all that it was to see. 0 or -errno: watch_refusal() holds. */
int watch_fall_back(struct watch *w);

/* Have all been told that the program has done so far; before a stop of it is served, and now and
 * then.
 * @whole: see engine_ops.drain(). Returns how many events there were. */
uint64_t watch_catch_up(struct watch *w, bool whole);

/* A task is about to get a signal: true if that is for a fault in code of the engine's, and the
 * task can go on as if nothing had happened. */
bool watch_fault(struct watch *w, struct task *task);

/* Look at a process's files beforehand, while it runs, so that it need not be stopped for that. */
void watch_prepare(struct watch_shared *shared, pid_t tid);

/* The same for a child made by fork: @space is a copy of the one @parent watches. */
struct watch *watch_fork(const struct watch *parent, const struct address_space *parent_space,
			 struct address_space *space, const struct observer_sink *sink, void *image,
			 int *err);

/* And the engine that such a child is to have, as @parent has one. @child: its only task. 0 or
 * -ENOMEM. */
int watch_fork_engine(struct watch *w, const struct watch *parent, struct task *child);

void watch_free(struct watch *w);

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

/* Has nobody taken the memory away that the program has been seen in? */
bool watch_has_memory(const struct watch *w);

/* Is there an allocator that can be seen, or may one come with a library? */
bool watch_can_see(const struct watch *w);

/**
 * The chain of a stopped task from where it is, innermost the instruction it will run next; the
 * frames are good until the next call. 0 or -errno: it cannot be had.
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
/* The calls the task is in will not be seen to return (watch_suspend()). */
void watch_forget_calls(struct watch *w, struct task *task);
/* Nothing more will be seen, and all tasks are stopped: say if the program has put code of its own
 * in the place of what sees calls. */
void watch_say_undone(struct watch *w);
/* Take everything of ours out of the program, all of whose tasks are stopped. -EAGAIN: a task is in
 * the middle of it; let all run for a moment and ask again. */
int watch_clean(struct watch *w);
/* The same for a copy of it, made by fork, whose only task has not run yet. */
void watch_clean_copy(const struct watch *w, struct task *child);

#endif
