/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_ENGINE_H
#define MPROF_BREAKPOINTS_ENGINE_H

#include "alloc_event.h"
#include "arch/arch.h"
#include "attach/task.h"
#include "base/error.h"
#include "observer.h"
#include "probes/probes.h"
#include "proc/modules.h"

/*
 * The seam between the watch of a program and an engine, which sees the calls of functions without
 * a trap; a watch need not have one. The watch knows what is mapped and which function has which
 * definition. It offers each function to the engine, and plants a breakpoint if the engine declines
 * it.
 *
 * An engine knows no breakpoint, no session and no profile. It reports what it has seen as events,
 * and before a stop of a task is served it has reported all that the program did until then.
 *
 * Trapped calls and calls that the engine sees may be nested in each other. While a task is in a
 * trapped call, the engine asks the watch about each call that it sees; and in a call that the
 * engine sees each trap that is hit is judged by the chain, unwound through the engine's own code.
 * So the stack decides, in both directions.
 */

/* An engine at work in one address space, and what all engines of a session share. */
struct engine;
struct engine_shared;
struct tracer;

/* What unwinding begins with: the registers of a function's caller as they are when the function
 * has returned, and a copy of the stack from there upwards. */
struct stack_copy {
	taddr pc, sp;
	uint64_t kept[ARCH_KEPT_REGS];
	const void *bytes;	/* from sp on */
	size_t len;
};

/* What the engine has found on the stack at a call, going outwards until it reached the innermost
 * trapped call of the task, a call that it sees itself, or the end. */
struct engine_seen {
	taddr outer_at;	/* where that trapped call has its return address, as pending() has told; 0:
			   there is none */
	bool kept;	/* the return address is still there */
	bool whole;	/* the stack was followed to its end, or as far as matters */
	bool outer;	/* it was reached: the call is nested in it, and in none of the engine's */
	bool own;	/* a call of the engine's was reached first, with no signal handler in
			   between */
	bool signal;	/* a signal handler was reached first */
	bool pending;	/* if it is not whole: a call of the engine's, nested in the trapped one,
			   has not been seen to end */
};

/* A call that the engine has seen, and that may have been made by the allocator itself. */
struct engine_call {
	pid_t tid;
	const struct engine_function *function; /* NULL: not known */
	taddr freed;		/* the block that it frees; 0: none */
	taddr gives;		/* the block that it has given; 0: none */
	const struct stack_copy *stack;
	struct engine_seen seen; /* if it has not been followed far enough the copy has words */
};

/* What an engine calls in the watch that it belongs to; @ctx is the watch. */
struct engine_host {
	/* 0, or -ENOMEM: the event could not be counted. */
	int (*event)(void *ctx, struct alloc_event *e);
	/* Events will come soon, see observer_sink.expect(). False: they need not be announced for
	 * now. */
	bool (*expect)(void *ctx, const struct alloc_expected *v, unsigned n);
	/* The number of the place of @pc, in a space of which @tid is a task. *@hidden: part of the
	 * allocator, which is left out at the inner end of a chain. UINT32_MAX: out of memory. */
	uint32_t (*place)(void *ctx, pid_t tid, taddr pc, bool exact, bool guessed, bool *hidden);
	/* The node of the profile's call tree that a place leads to, from its caller's node or from
	 * a root, as profile_node_below(). UINT32_MAX: out of memory. */
	uint32_t (*node)(void *ctx, uint32_t parent, uint32_t place);
	/* How many of a chain's frames, the innermost, are to be kept; 0: all. It only
	 * decreases. */
	unsigned (*depth)(void *ctx);
	/* Did the module that defines the free at @function call it itself, returning to @ret? */
	bool (*by_allocator)(void *ctx, taddr function, taddr ret);
	/* Unwind a copy of a task's stack; the frames are good until the next call. 0 or -errno. */
	int (*unwind)(void *ctx, pid_t tid, const struct stack_copy *copy, struct alloc_chain *out);
	/* Is the call made by the allocator itself inside of another call, of the engine's or
	 * trapped? If not, *@label: what the block that it gives is for. Good until the next
	 * call. */
	bool (*is_nested)(void *ctx, const struct engine_call *call, enum alloc_label *label);
	/* May calls nested in those of this function, which frees a block, be ignored? */
	bool (*frees_alone)(void *ctx, const struct engine_function *f);
	/* The engine will not see a function that it has taken after all: it is to be trapped. */
	void (*declines)(void *ctx, const struct engine_function *f, const char *why);
	/* A chain of the engine's has been compared with the one unwound from a copy of the
	 * stack. */
	void (*checked)(void *ctx, bool wrong);
	/* Can the stack of a stopped task be unwound to its end, without guessing, with no pc for
	 * which @ours returns true? */
	bool (*has_left)(void *ctx, struct task *task, bool (*ours)(const struct engine *, taddr),
			 const struct engine *e);
	/* Tell the user something about the program, as observer_sink.note(). */
	void (*note)(void *ctx, const char *what);
	/* What is mapped for execution. */
	const struct mappings *(*mappings)(void *ctx);
	/* Have arm() called with all tasks held, soon. */
	void (*want_hold)(void *ctx);
	/* The files that are mapped, by their numbers. */
	const struct module_files *(*files)(void *ctx);
	/* @events could not be counted; of these @damaged because what was read from the program's
	 * memory made no sense, and all others because there was no memory. */
	void (*lost)(void *ctx, uint64_t events, uint64_t damaged);
	/* The engine has switched itself off: nothing is seen from here on. */
	void (*failed)(void *ctx);
	void *ctx;
};

enum engine_answer {
	ENGINE_TAKES,
	ENGINE_LEAVES,	/* to a breakpoint; *@why is the reason, for a person */
};

/* A function that has a definition. */
struct engine_function {
	uint32_t number;	/* of its definition */
	const struct probe *probe;
	taddr at;
	uint64_t size;		/* bytes; 0: not known */
	uint32_t file;		/* of struct module_files */
	const char *no_forwarder; /* of an operator of C++: why its requests are not seen in the
				     malloc that it calls, as a phrase; or NULL */
};

/* The sentence if open() or arm() has failed with -ESRCH because the program is gone: this is not
 * an error of the engine's, and another engine would not help. */
#define ENGINE_GONE "it has ended meanwhile, or was killed"

struct engine_ops {
	const char *name;	/* as --engine has it */

	/* The program is about to be attached to: read what can be read from its files now, while
	 * it runs. Optional. */
	void (*prepare)(struct engine_shared *shared, const struct module_files *files,
			const struct mappings *maps);

	/**
	 * Begin in an address space, all of whose tasks are stopped.
	 * @task  one of them, for which task_can_call() is true
	 * @host  outlives the engine
	 * Returns NULL with -errno in *err, and what is wrong and what to do in @e: nothing has
	 * been changed. -ESRCH: it has ended.
	 */
	struct engine *(*open)(struct engine_shared *shared, struct tracer *t, struct task *task,
			       const struct engine_host *host, int *err, struct error *e);
	/**
	 * The same in a forked copy of the space of @parent, jumps included.
	 * @child  its only task, stopped at its first instruction
	 * @host   can unwind its stack already, through the code of the parent's engine there
	 * Returns NULL with *err, and what is wrong in @e: as after clean_copy(). -ESRCH: it has
	 * been killed; -ECANCELED: the parent is about to be detached.
	 */
	struct engine *(*fork)(struct engine *parent, struct task *child,
			       const struct engine_host *host, int *err, struct error *e);
	/* Free the engine: nothing of it is in the program any more, or the program is gone. */
	void (*free)(struct engine *e);

	/* Will the engine see the calls of a function? It does from arm() on. */
	enum engine_answer (*plant)(struct engine *e, const struct engine_function *f,
				    const char **why);
	/* Write what has been planted into the program.
	 * @held  all tasks are stopped; else no task can be in the new functions
	 * 0 or -errno, with a sentence: nothing has been written. -ESRCH: it has ended; -EAGAIN: a
	 * task is in the way; let all run for a moment and call it again. */
	int (*arm)(struct engine *e, bool held, struct error *why);
	/* All tasks are stopped: decline functions that are planted and not yet written. */
	void (*drop)(struct engine *e, const char *why);
	/* What is mapped has changed; functions in mappings that are gone are gone, too. */
	void (*modules)(struct engine *e, const struct mappings *maps);

	/* Report what has been seen: everything that tasks which are not running now have done.
	 * @whole: a stop is about to be served; else the engine may call want_hold(), too. Returns
	 * the number of events. */
	uint64_t (*drain)(struct engine *e, bool whole);
	struct engine_counts (*counts)(const struct engine *e);
	/* A task, which is stopped, is new in the space, or was there before the engine. */
	void (*thread_begins)(struct engine *e, struct task *task);
	void (*thread_ends)(struct engine *e, struct task *task);

	/* Is a stopped task, as far as is known, in a call that the engine has seen begin? */
	bool (*inside)(const struct engine *e, const struct task *task);
	/* The innermost trapped call that a task is in has its return address, @ret, at @ret_at;
	 * 0: it is in none. The calls of such a task that the engine sees are for
	 * engine_host.is_nested() to judge. */
	void (*pending)(struct engine *e, const struct task *task, taddr ret_at, taddr ret);

	/* The task is stopped for a signal that may be for a fault of an instruction of the
	 * engine's own. True: it was; the task can go on, and the signal is not to be delivered. */
	bool (*fault)(struct engine *e, struct task *task);
	/* The engine's own code in the program, which may be in chains: has() and leave() of struct
	 * unwind_foreign. */
	bool (*has_code)(const struct engine *e, taddr pc);
	bool (*leave_code)(const struct engine *e, struct arch_frame *f, bool exact,
			   bool (*read)(void *reader, taddr at, uint64_t *word), void *reader);

	/* See nothing until it is switched on again; the tasks may run. */
	void (*suspend)(struct engine *e, bool on);
	/* Is what the engine put into this function in its place? */
	bool (*has_jump)(const struct engine *e, taddr function);
	/* In how many functions has the program overwritten that? */
	unsigned (*undone)(const struct engine *e);
	/* All tasks are stopped: take everything out of the program. -EAGAIN: a task is executing
	 * it; let all run for a moment and call it again. */
	int (*remove)(struct engine *e);
	/* Take everything out of a forked copy of the space, whose only task is stopped at its
	 * first instruction. */
	void (*clean_copy)(const struct engine *e, struct task *child);
};

#endif
