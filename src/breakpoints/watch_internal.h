/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_WATCH_INTERNAL_H
#define MPROF_BREAKPOINTS_WATCH_INTERNAL_H

/* What the files of the watch share: watch.c (modules and breakpoints), step_over.c (a task at a
 * breakpoint), entries.c and returns.c (what a breakpoint means), and those named below. */

#include "base/idindex.h"
#include "breakpoints/calls.h"
#include "breakpoints/engine.h"
#include "breakpoints/pools.h"
#include "breakpoints/breakpoints.h"
#include "breakpoints/watch.h"
#include "unwind/unwind.h"

/* A pc and the number the sink has given it. */
struct known_pc {
	taddr pc;
	uint32_t frame;
	bool exact, guessed;	/* as in struct unwind_frame */
	bool hidden;	/* part of the allocator: not in a chain when it is the innermost */
};

/* When functions that have been found can be changed. */
enum arming {
	ARM_LATER,	/* with tasks held, later: now they run, and may be in them */
	ARM_NEW,	/* now: their module has just been mapped, and no task is in it */
	ARM_HELD,	/* now: all tasks are held */
};

struct watch {
	struct watch_shared *shared;
	const struct observer_sink *sink;
	void *image;	/* the image that the events belong to */
	struct address_space *space;
	struct mappings maps;
	struct breakpoints breakpoints;
	struct unwinder *unwinder;
	struct known_pc *pcs;
	size_t n_pcs, cap_pcs;
	struct idindex pc_index;
	struct call_site *sites;
	size_t n_sites, cap_sites;
	struct idindex site_index;
	uint32_t program;		/* its file's number, or NO_FILE */
	size_t free_functions;		/* how many functions with a breakpoint free a block */
	struct pools pools;
	uint32_t *frames;		/* of the chain in progress */
	size_t cap_frames;
	/* Blocks that the program requested only for an answer of ours, which are not reported. */
	taddr *hidden;
	size_t n_hidden, cap_hidden;
	pid_t *hiding; /* tasks whose next block, reported by the engine, is such a block */
	size_t n_hiding, cap_hiding;
	bool in_part;			/* watch_not_in_full() has told the user */
	bool suspended;			/* the breakpoints are lifted, everything else is as it
					   was */
	taddr stepping;			/* the breakpoint that is lifted for a single step; 0:
					   none */
	struct observed_counts counts;
	struct engine *engine;		/* NULL: all is trapped */
	struct engine_host host;	/* what it calls in us */
	struct engine_function *taken;	/* functions that it sees */
	size_t n_taken, cap_taken;
	struct left_function *left;	/* functions that it has left to traps */
	size_t n_left, cap_left, told_left;
	uint64_t last_ns;		/* time of the last event */
	enum arming arming;		/* for functions that are found now */
	bool arm_later, in_the_way;	/* watch_is_to_arm() */
	bool decided;			/* the engine has begun to see functions */
	bool traps_only;		/* the engine cannot be used here */
	bool executed;			/* by a program that was observed: traps will do for it */
	bool new_trapped;		/* an operator new is trapped: so has to be what it calls
					   when it gives up */
	int refused;			/* why the engine cannot observe it, -errno ... */
	struct error refusal;		/* ... and as a sentence; text[0] 0: it can */
};

/* A function that has a breakpoint in a program that an engine sees. */
struct left_function {
	uint32_t file, number;	/* as in struct engine_function */
	const char *name, *why;
};

/* A free that was counted and then pushed back to its first instruction by a signal. */
struct rewound_free {
	taddr entry, ptr, sp;
};

/* A call site. */
struct call_site {
	taddr ret;
	taddr reaches;	/* the call there reaches only this function; 0: it may reach others */
	bool described;	/* there is call frame information for it */
	uint32_t file;	/* the file whose code it is */
};

/* What is kept for a task. */
struct watched_task {
	struct calls calls;
	struct rewound_free *rewound;
	size_t n_rewound, cap_rewound;
	/* The pool of requests that name none, for functions of this file; 0: none. */
	taddr pool;
	uint32_t pool_file;
	bool hide_next;	/* do not report the next block it requests */
	/* Where it began to run, and its stack pointer then; 0: not known. */
	bool start_asked;
	taddr start_pc, start_sp;
};

/* Read what is mapped again: plant in new mappings, forget those that are gone. 0 or -errno. */
int watch_modules(struct watch *w, pid_t tid);

/* Plant, in all mappings, breakpoints for what was left to the engine. 0 or -ENOMEM. */
int watch_plant_again(struct watch *w);

/* Put a breakpoint at the entry of a function, or of its resolver, for the definition @probe. 0 or
 * -errno. */
int watch_plant(struct watch *w, taddr at, enum breakpoint_role role, uint32_t file,
		uint32_t probe);

/* Count the functions that free again: breakpoints have been added or removed. */
void watch_count_allocators(struct watch *w);

/* The mapping that contains @pc; reads what is mapped again if none is known. */
const struct mapping *watch_mapping(struct watch *w, pid_t tid, taddr pc);

/* Is @pc in a special range of the kind @kind? */
bool watch_in_range(struct watch *w, const struct mapping *m, taddr pc, enum scan_range_kind kind);

/* The definition with this number. */
static inline const struct probe *watch_probe(const struct watch *w, uint32_t number)
{
	return &w->shared->rules->probes.v[number];
}

/* Does a module file define a function that frees? */
bool watch_is_allocator(struct watch *w, uint32_t file);

/* step_over.c */
/* What is kept for a task, begun if there is nothing yet. NULL: out of memory. */
struct watched_task *watched_task(struct task *task);

/* places.c */
/* The place of a frame, added if it is a new one; valid until the next one is added. NULL: out of
 * memory. */
const struct known_pc *watch_place(struct watch *w, pid_t tid, const struct unwind_frame *f);

/* chains.c */
/* The next chains are of this task, whose stack is read from @sp on. 0 or -errno. */
int watch_snapshot(struct watch *w, const struct task *task, struct watched_task *t, taddr sp);
/* A chain as the unwinder gives it, without numbers. 0 or -errno. */
int watch_unwind(struct watch *w, const struct arch_regs *r, taddr ret,
		 const struct unwind_goal *goal, struct unwind_chain *chain);
/**
 * The chain of a call with registers @r that will return to @ret, into @c, which owns it.
 * unwinder_snapshot() has been taken. 0 or -errno.
 */
int watch_call_chain(struct watch *w, pid_t tid, const struct arch_regs *r, taddr ret,
		     struct call *c);
/* The call chain of a stopped task, from its pc on. 0 or -errno. */
int watch_stack(struct watch *w, struct task *task, struct unwind_chain *chain);
/* The entry of the function that the frame @f is in; 0: there is no call frame information. */
taddr watch_function(struct watch *w, const struct unwind_frame *f);

/* The same as watch_snapshot(), for a copy of a task's stack; *@r is set to the registers at the
 * called function's entry. 0 or -errno. */
int watch_snapshot_copy(struct watch *w, pid_t tid, const struct stack_copy *copy,
			struct arch_regs *r);
/* The chain unwound from a copy of a task's stack; its frames are good until the next call. 0 or
 * -errno. */
int watch_chain_of_copy(struct watch *w, pid_t tid, const struct stack_copy *copy,
			struct alloc_chain *out);

/* watch_engine.c */
/* Begin the session's engine, if there is one, in the program, all of whose tasks are stopped. */
void watch_begin_engine(struct watch *w, struct task *task);
/* Connect the watch and its engine: what each calls in the other. */
void watch_meet_engine(struct watch *w);
/* Trap everything that the engine was to see, after it was taken out of the program. 0 or
 * -ENOMEM. */
int watch_use_traps(struct watch *w, const char *why);
/* Offer a function to the engine. True: nothing is to be planted; false: it is to be trapped. */
bool watch_offer(struct watch *w, const struct engine_function *f);
/* Functions that the engine has taken are seen from here on, or from watch_arm_held() on. */
void watch_arm(struct watch *w);
/* Free the engine: nothing of it is in the program any more, or the program is gone. */
void watch_end_engine(struct watch *w);

/* unobserved.c */
/* @err: the error of planting, or 0. If something of ours was short the user is told, once; not if
 * there is no code, or the program has ended. */
void watch_not_in_full(struct watch *w, int err);

/* Say, once, that tables of a module file have been left out. */
void watch_say_cut(struct watch *w, uint32_t file);

/* The same for a file that can no longer be read. */
void watch_say_gone(struct watch *w, uint32_t file);

/* taken.c */
/* The function at @at, if the engine sees it; else NULL. */
const struct engine_function *watch_taken(const struct watch *w, taddr at);
bool watch_is_taken(const struct watch *w, taddr at);
/* Forget functions in [start, end), where their file is no longer mapped. @copied: but not those of
 * which the program has put a copy there, with what the engine wrote. */
void watch_forget_taken(struct watch *w, taddr start, taddr end, bool copied);
/* The engine will not see a function that it has taken after all: trap it. No task is in it. */
void watch_decline(struct watch *w, taddr at, const char *why);
/* Does it see a function that gives blocks, and one that frees them? */
bool watch_sees_blocks(const struct watch *w);
/* If it does not, and the libraries that the program begins with are mapped: the trapped function
 * that it lacks; else NULL. */
const struct left_function *watch_misses(const struct watch *w);

/* beside.c: functions that are trapped beside those that the engine sees */
/* Why a function has to be trapped and is not even offered to the engine; NULL: it need not be. */
const char *watch_why_trapped(struct watch *w, const struct engine_function *f);
/* Note a function that is trapped, for watch_tell_left(). 0 or -ENOMEM. */
int watch_note_left(struct watch *w, const struct engine_function *f, const char *why);
/* Report those to the user that have not been reported yet. */
void watch_tell_left(struct watch *w);
/* Which trapped call a task is in may have changed: tell the engine. */
void watch_tell_pending(struct watch *w, const struct task *task);
/* Is a stopped task in a call that the engine sees? */
enum engine_calls watch_engine_calls(const struct watch *w, const struct task *task);
/* See struct engine_host. */
bool watch_is_nested(struct watch *w, const struct engine_call *call, enum alloc_label *label);

/* sites.c */
/* Did the module file @file, which defines the free at @at, make the call that returns to @ret
 * itself? */
bool watch_by_allocator(struct watch *w, taddr at, uint32_t file, taddr ret);
/* What is known of the call that has reached the free at @bp and returns to @ret. */
enum free_site_kind {
	SITE_ANY,	/* nothing: its return has to be trapped */
	SITE_FREES,	/* it reaches only that free */
	SITE_WRAPPED,	/* it calls a function of another module than the free's: their frames can
			   be told apart */
};
enum free_site_kind watch_free_site(struct watch *w, taddr ret, const struct breakpoint *bp);
/* Does the call that returns to @ret reach only the function at @at? NULL: no. */
const struct call_site *watch_site_of(struct watch *w, taddr ret, taddr at);
/* Is the function at @bp called by its own library? */
bool watch_by_library(struct watch *w, const struct breakpoint *bp, taddr ret);

/* indirect.c: functions that the program itself chooses when it is linked or started (ifuncs) */
/* The resolver has been entered, and has returned. */
void watch_enter_resolver(struct watch *w, struct task *task, struct watched_task *t,
			  const struct breakpoint *bp, const struct arch_regs *r);
void watch_resolver_returned(struct watch *w, struct task *task, const struct call *c,
			     const struct arch_regs *r);
/* Look for functions that were resolved before we watched: their addresses are in GOT entries. */
void watch_look_at_got_entries(struct watch *w);

/* poolcalls.c */
/* The pool that a call which gives a block requests it from; 0: none. */
taddr watch_pool_of(const struct watch *w, const struct watched_task *t, const struct call *c,
		    const struct arch_regs *r);
/* Update which block is in which pool by such a call's event @e. */
void watch_pool_block(struct watch *w, const struct call *c, const struct alloc_event *e);
/* There is a new pool: what was known of one at this address belonged to another. */
void watch_pool_begins(struct watch *w, taddr pool);
/* A function is entered, by whatever caller, that frees a pool, leaves it, or makes it the thread's
 * default. */
void watch_pool_entry(struct watch *w, struct task *task, struct watched_task *t,
		      const struct breakpoint *bp, const struct arch_regs *r);

/* entries.c */
/* Is an event of the engine's about a block that is not reported? */
bool watch_hides(struct watch *w, const struct alloc_event *e);

/* For a forked process: copy the blocks that are not reported. 0 or -ENOMEM. */
int watch_copy_hidden(struct watch *w, const struct watch *from);

/* A function is entered. True: it has returned already, with the registers in @r. */
bool watch_hit_entry(struct watch *w, struct task *task, struct watched_task *t,
		     const struct breakpoint *bp, struct arch_regs *r);
/* Is this a free that was counted, and then begun again? It is removed from the list. */
bool watch_was_rewound(const struct watch *w, struct watched_task *t, taddr entry, taddr ptr,
		       taddr sp);

/* May calls nested in those of a freeing function of module file @file be ignored? */
bool watch_frees_alone(const struct watch *w, uint32_t file);
/* The label for what is requested inside of a call. */
enum alloc_label watch_inner_label(const struct watch *w, const struct call *outer);

/* nesting.c */
/* Is this entry the program's own call? Drops pending calls that are over. */
bool watch_is_outer(struct watch *w, struct task *task, struct calls *calls,
		    const struct call_entry *e, const struct engine_part *engine,
		    const struct arch_regs *r);

/* returns.c */
/* Report an event to the sink, with the time. */
void watch_emit(struct watch *w, struct alloc_event *e);
/* Trap the return of a call to @ret. False: it cannot be trapped. */
bool watch_await_return(struct watch *w, pid_t tid, taddr ret);
/* A task has hit a breakpoint at @pc, to which calls return. True: a call that was seen to begin
 * has returned. */
bool watch_hit_return(struct watch *w, struct task *task, struct watched_task *t, taddr pc,
		      const struct arch_regs *r);
/* Remove the innermost pending call, which is over. */
void watch_drop_call(struct watch *w, struct calls *calls);
/* The innermost pending call will never return. */
void watch_abandon(struct watch *w, struct task *task, struct calls *calls);
/* Report the result of a call that gave @block; 0: none. */
void watch_end_call(struct watch *w, struct task *task, const struct call *c, taddr block);

#endif
