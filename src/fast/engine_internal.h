/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_ENGINE_INTERNAL_H
#define MPROF_FAST_ENGINE_INTERNAL_H

/* What the files of the fast engine share: engine.c (the seam), memory.c (what is mapped into the
 * program), pads.c (what is written into it), tasks.c (where its threads stand). */

#include "arch/pads.h"
#include "arch/patch.h"
#include "attach/journal.h"
#include "attach/tracer.h"
#include "breakpoints/engine.h"
#include "fast/events.h"
#include "fast/fast.h"
#include "fast/tables.h"

struct engine_shared {
	struct fast_settings settings;
	struct table_files tables;
};

/* Memory that is mapped into the program, and here: a sealed file without a name. */
struct shared_memory {
	uint8_t *here;
	taddr there;
	size_t size;
};

/* Code of ours, and a flag, near the code that they are about. */
struct near_area {
	taddr at;		/* 0: there is none */
	size_t size, used;	/* of the code; a page with the flag is behind it */
	taddr active;		/* the flag: one byte */
};

/* A function that has a pad, or is to have one. */
struct pad {
	taddr at;		/* the function */
	struct arch_patch patch;
	taddr slot, code;	/* its moved instructions; the pad. 0: not placed yet */
	uint16_t slot_size, code_size;
	taddr return_site;	/* where the function returns to in the pad */
	uint32_t journal_entry;
	bool written;		/* the jump is in the program */
	bool gone;		/* its module is not mapped any more */
};

/* Where the rows and the index of a file are in the program; 0: nowhere yet. */
struct placed_rows {
	taddr rows, index;
};

struct engine {
	struct engine_shared *shared;
	const struct engine_host *host;
	struct address_space *space;
	struct tracer *tracer;
	taddr syscall_insn;	/* where the program has one */
	struct shared_memory memory, tables;
	size_t tables_used;
	struct placed_rows *placed; /* where files' rows are in it, by file number */
	size_t n_placed;
	bool tables_full;	/* what is mapped now has no tables: nothing is left for them */
	taddr agent;		/* the blob in the program */
	size_t agent_size;
	struct near_area near;
	struct pad *pads;
	struct engine_function *functions; /* the same number of them, by the same numbers */
	size_t n_pads, cap_pads, cap_functions;
	struct ring *ring;
	struct nodes *nodes;
	struct threads *threads;
	struct events events;
	struct task **tasks;
	uint32_t *numbers;	/* of their thread records, or AGENT_NO_THREAD */
	size_t n_tasks, cap_tasks, cap_numbers;
	uint64_t told_lost;
	uint64_t hold_ns;	/* when a hold was wanted last */
	bool suspended;
	bool armed;		/* a jump has been in the program */
	unsigned leaving_rounds; /* so often removing it has been tried ... */
	uint64_t leaving_ns;	/* ... since then */
	bool removed;		/* the jumps are out, for good */
};

static inline struct agent_shared *engine_agent(const struct engine *e)
{
	return (struct agent_shared *)e->memory.here;
}

/* memory.c */
/* Map what the engine needs into the program, by way of @task, which is stopped. 0, or -errno with
 * a sentence: nothing is left there. */
int memory_open(struct engine *e, struct task *task, struct error *why);
/* Take it out again, by way of a task that is stopped. 0, or -errno: its seccomp filter would kill
 * it, and all stays. */
int memory_close(struct engine *e, struct task *task);
/* The same of a copy of the program's memory, which has not inherited all of it. */
void memory_leave_copy(const struct engine *e, struct task *child);
/* Our own side of it. */
void memory_release(struct engine *e);
/* Room for @size bytes of code near @function. 0 or -errno. */
int memory_near(struct engine *e, taddr function, size_t size);
/* Where memory is readable and writable, for the agent. */
int memory_tell_ranges(struct engine *e);
/* Is @at in what the agent has been told of? */
bool memory_knows(const struct engine *e, taddr at);
/* Tables for what is mapped. 0 or -errno. */
int memory_tell_tables(struct engine *e, const struct mappings *maps);

/* renew.c */
/* Is one of the tables full that the agent and we fill? Then a hold is wanted. */
bool renew_is_due(const struct engine *e);
/* All are stopped: begin anew what is full. False: a task is in the middle of the agent. */
bool renew(struct engine *e);

/* pads.c */
enum engine_answer pads_plan(struct engine *e, const struct engine_function *f, const char **why);
/* Write what has been planned; as engine_ops.arm(). */
int pads_arm(struct engine *e, bool held, struct error *why);
/* Put the program's own bytes back, where the jumps still stand, in @space. */
void pads_lift(const struct engine *e, const struct address_space *space);
bool pads_have(const struct engine *e, taddr pc);

/* tasks.c */
/* A task by whose number /proc tells of the program: one that has not ended. */
pid_t tasks_tid(const struct engine *e);
/* One that can be made to run system calls; NULL: none is stopped so that it can. */
struct task *tasks_caller(const struct engine *e);
/* Move tasks that stand in the bytes that the jumps are to take. 0, or -EAGAIN: one may come back
 * there. */
int tasks_make_way(struct engine *e);
/* Is no task in the middle of the agent, nor comes back there? */
bool tasks_are_outside_agent(struct engine *e);
/* Is no task in pads, slots or agent any more, nor comes back to them? */
bool tasks_have_left(struct engine *e);

#endif
