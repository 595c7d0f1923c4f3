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
 * The seam between the watch of a program and an engine: a part that it may have, which sees the
 * calls of functions without a trap. The watch knows what is mapped and which function has which
 * definition. It offers each function to the engine, and plants a breakpoint where that declines.
 *
 * An engine knows no breakpoint, no session and no profile. Whatever it has seen it tells as
 * events, and before a stop of a task is served it has told all that the program did until then.
 *
 * Calls of one task may be nested across the two. While it is in a trapped one, the engine asks the
 * watch about each call that it sees; and in a call of the engine's each trap that is hit is judged
 * by the chain, through the engine's own code. So the stack decides, in both directions.
 */

/* An engine at work in one address space, and what all that belong to a session share. */
struct engine;
struct engine_shared;
struct tracer;

/* What an unwinder begins with: the registers of the caller of a function as they are when that has
 * returned, and the stack from there upwards as it was at that moment. */
struct stack_copy {
	taddr pc, sp;
	uint64_t kept[ARCH_KEPT_REGS];
	const void *bytes;	/* from sp on */
	size_t len;
};

/* What the engine has seen of the stack itself at a call: from the inside, until the innermost
 * trapped call of the task or one of its own was met, or to the end. */
struct engine_seen {
	taddr outer_at;	/* where that has its return address, as it was told; 0: none was */
	bool kept;	/* it is still there */
	bool whole;	/* the stack was followed to its end, or as far as matters */
	bool outer;	/* it was met: the call is inside of it, and of none of the engine's */
	bool own;	/* a call of the engine's was met first, with no signal in between */
	bool signal;	/* a signal's handler came first */
	bool pending;	/* if it is not whole: a call of the engine's, inside of that one, has not
			   been seen to end */
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

/* What an engine asks of the watch that it belongs to; @ctx is the watch. */
struct engine_host {
	/* 0, or -ENOMEM: the event could not be counted. */
	int (*event)(void *ctx, struct alloc_event *e);
	/* Events are to come soon. False: they need not be told of for now. */
	bool (*expect)(void *ctx, const struct alloc_expected *v, unsigned n);
	/* The number of the place of @pc, in a space of which @tid is a task. *@hidden: part of the
	 * allocator, which is left out at the inner end of a chain. UINT32_MAX: out of memory. */
	uint32_t (*place)(void *ctx, pid_t tid, taddr pc, bool exact, bool guessed, bool *hidden);
	/* The node of the profile's call tree that a place leads to, from its caller's node or from
	 * a root, as profile_node_below(). UINT32_MAX: out of memory. */
	uint32_t (*node)(void *ctx, uint32_t parent, uint32_t place);
	/* So many of a chain's frames are to be kept, the innermost; 0: all. It only ever becomes
	 * less. */
	unsigned (*depth)(void *ctx);
	/* Did the module that defines the free at @function call it itself, from before @ret? */
	bool (*by_allocator)(void *ctx, taddr function, taddr ret);
	/* The chain that a copy of a task's stack tells; its frames are good until the next call.
	 * 0 or -errno. */
	int (*unwind)(void *ctx, pid_t tid, const struct stack_copy *copy, struct alloc_chain *out);
	/* Is it made inside of another call by the allocator itself, be that one of the engine's
	 * or trapped? If not, *@label: what the block that it gives is for. Good until the next
	 * call. */
	bool (*is_nested)(void *ctx, const struct engine_call *call, enum alloc_label *label);
	/* Is there nothing to see inside of the calls of this function, which frees a block? */
	bool (*frees_alone)(void *ctx, const struct engine_function *f);
	/* A function that the engine has taken it will not see after all: it is to be trapped. */
	void (*declines)(void *ctx, const struct engine_function *f, const char *why);
	/* A chain of the engine's has been compared with the one that a copy of the stack tells. */
	void (*checked)(void *ctx, bool wrong);
	/* Has the stack of a stopped task been followed to its end, nothing guessed, without
	 * meeting a pc to which @ours says yes? */
	bool (*has_left)(void *ctx, struct task *task, bool (*ours)(const struct engine *, taddr),
			 const struct engine *e);
	/* What a person has to know of the program, as observer_sink.note(). */
	void (*note)(void *ctx, const char *what);
	/* What is mapped for execution. */
	const struct mappings *(*mappings)(void *ctx);
	/* Have arm() called with all tasks held, soon. */
	void (*want_hold)(void *ctx);
	/* The files that are mapped, by their numbers. */
	const struct module_files *(*files)(void *ctx);
	/* So many events could not be counted; of these @damaged since what the program's memory
	 * told of them made no sense, and all others for want of memory. */
	void (*lost)(void *ctx, uint64_t events, uint64_t damaged);
	/* The engine has switched itself off: nothing is seen from here on. */
	void (*failed)(void *ctx);
	void *ctx;
};

enum engine_answer {
	ENGINE_TAKES,
	ENGINE_LEAVES,	/* to a breakpoint; *@why tells, for a person */
};

/* A function that has a definition. */
struct engine_function {
	uint32_t number;	/* of its definition */
	const struct probe *probe;
	taddr at;
	uint64_t size;		/* bytes; 0: nothing tells */
	uint32_t file;		/* of struct module_files */
	const char *no_forwarder; /* of an operator of C++: why its requests are not seen below, as
				     a phrase; or NULL */
};

/* What is wrong where open() or arm() has failed with -ESRCH, for the program is no more: nobody
 * is to blame, and no other engine helps. */
#define ENGINE_GONE "it has ended meanwhile, or was killed"

struct engine_ops {
	const char *name;	/* as --engine has it */

	/* What can be read of files is read now, while the program runs: it is about to be attached
	 * to. Good to know, not needed. */
	void (*prepare)(struct engine_shared *shared, const struct module_files *files,
			const struct mappings *maps);

	/**
	 * Begin in an address space, all of whose tasks are stopped.
	 * @task  one of them, which can be made to run system calls
	 * @host  outlives the engine
	 * Returns NULL with -errno in *err, and what is wrong and what to do in @e: nothing has
	 * been changed. -ESRCH: it has ended.
	 */
	struct engine *(*open)(struct engine_shared *shared, struct tracer *t, struct task *task,
			       const struct engine_host *host, int *err, struct error *e);
	/**
	 * The same in a copy of the space of @parent, made by fork, jumps included: an engine of
	 * its own.
	 * @child  its only task, which is stopped at its first instruction
	 * @host   can follow its stack already, through what the parent's engine has there
	 * Returns NULL with *err, and what is wrong in @e: as after clean_copy(). -ESRCH: it has
	 * been killed; -ECANCELED: the parent is about to be let go.
	 */
	struct engine *(*fork)(struct engine *parent, struct task *child,
			       const struct engine_host *host, int *err, struct error *e);
	/* Nothing of it is in the program any more, or that is gone. */
	void (*free)(struct engine *e);

	/* Will it see the calls of a function? It does so from arm() on. */
	enum engine_answer (*plant)(struct engine *e, const struct engine_function *f,
				    const char **why);
	/* Write what has been planted into the program.
	 * @held  all tasks are stopped; else nobody can be in what is new
	 * 0 or -errno, with a sentence: nothing has been written. -ESRCH: it has ended; -EAGAIN:
	 * a task is in the way; let all run for a moment and ask again. */
	int (*arm)(struct engine *e, bool held, struct error *why);
	/* All tasks are stopped: decline what has been planted and is not written yet. */
	void (*drop)(struct engine *e, const char *why);
	/* What is mapped has changed; functions in what is gone are gone, too. */
	void (*modules)(struct engine *e, const struct mappings *maps);

	/* Tell what has been seen: all that tasks have done which do not run now. @whole: a stop is
	 * about to be served; else the engine may ask for a hold besides. Returns how many events
	 * there were. */
	uint64_t (*drain)(struct engine *e, bool whole);
	struct engine_counts (*counts)(const struct engine *e);
	/* A task, which is stopped, has begun to run in the space, or was there before the
	 * engine. */
	void (*thread_begins)(struct engine *e, struct task *task);
	void (*thread_ends)(struct engine *e, struct task *task);

	/* Is a stopped task in a call that the engine has seen begin, as far as is known? */
	bool (*inside)(const struct engine *e, const struct task *task);
	/* The innermost trapped call that a task is in has its return address, @ret, at @ret_at;
	 * 0: it is in none. The calls of such a task that the engine sees are for
	 * engine_host.is_nested() to judge. */
	void (*pending)(struct engine *e, const struct task *task, taddr ret_at, taddr ret);

	/* An instruction of the engine's own has made a fault in the task, which is stopped by the
	 * signal of it, as is anybody's. True: the task can go on, and there was no fault as far as
	 * the program is concerned. */
	bool (*fault)(struct engine *e, struct task *task);
	/* The engine's own code in the program, through which chains may lead: has() and leave() of
	 * struct unwind_foreign. */
	bool (*has_code)(const struct engine *e, taddr pc);
	bool (*leave_code)(const struct engine *e, struct arch_frame *f, bool exact,
			   bool (*read)(void *reader, taddr at, uint64_t *word), void *reader);

	/* See nothing until it is switched on again; the tasks may run. */
	void (*suspend)(struct engine *e, bool on);
	/* In how many functions is something else by now where they were to be seen? */
	unsigned (*undone)(const struct engine *e);
	/* All tasks are stopped: take everything out of the program. -EAGAIN: some task is in the
	 * middle of it; let all run for a moment and ask again. */
	int (*remove)(struct engine *e);
	/* Take everything out of a copy of the space, made by fork, whose only task is stopped at
	 * its first instruction. */
	void (*clean_copy)(const struct engine *e, struct task *child);
};

#endif
