/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_ENGINE_INTERNAL_H
#define MPROF_FAST_ENGINE_INTERNAL_H

/* What the files of the fast engine share: engine.c (its operations), memory.c (what is mapped into
 * the program), told.c (what the agent has to know), pads.c (what is written into code), own_code.c
 * (chains through that), faults.c (faults of the agent's instructions), tasks.c (the pcs and stacks
 * of tasks), beside.c (functions that are trapped), fork.c (forked copies of the program),
 * addresses.c (whether the program lacks them because of ours). */

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
	struct cfi_rows agent;	/* call frame information of the agent's own code */
};

/* Memory that is mapped in the program and here: a sealed memfd. */
struct shared_memory {
	uint8_t *here;
	taddr there;
	size_t size;
};

/* Tables for the agent, in the program's memory; a forked copy of the program has the same tables
 * at the same address. What has been written is not changed while another engine uses them. */
struct engine_tables {
	unsigned users;			/* engines */
	struct shared_memory memory;
	struct placed_rows rows;	/* what is in there */
};

/* An area for pads, slots and their flag, near the functions that they are for. */
struct near_area {
	taddr at;
	size_t size, used;	/* of the code; the page behind it has the flag */
	taddr active;		/* the flag: one byte */
	uint32_t journal_entry;
	struct agent_module rows; /* its call frame rows; .rows is 0: none yet */
};

enum { NEAR_AREAS = 16 };

_Static_assert((int)NEAR_AREAS <= (int)AGENT_PADS, "the agent knows all of them");

/* A function that has a pad, or is to get one. */
struct pad {
	taddr at;		/* the function */
	struct arch_patch patch;
	taddr slot, code;	/* its displaced instructions; the pad. 0: not placed yet */
	uint16_t slot_size, code_size;
	uint8_t area;		/* the index in near[] of its area */
	struct arch_pad_row rows[ARCH_PAD_ROWS];
	uint16_t n_rows;
	taddr return_site;	/* where the function returns to in the pad */
	uint32_t journal_entry;
	bool written;		/* the jump is in the program */
	bool gone;		/* its module is not mapped any more */
};

/* Code of the program's, and its call frame rows. */
struct known_code {
	struct agent_module module;
	const struct cfi_rows *rows;	/* from module.lo on */
};

/* A task of the program. */
struct engine_task {
	struct task *task;
	uint32_t number;	/* of its thread record, or AGENT_NO_THREAD */
	/* The return address of the innermost trapped call that it is in, and where that is; 0:
	 * none. */
	taddr outer_at, outer_ret;
	bool settled;		/* it had a thread pointer when that was last read */
};

struct engine {
	struct engine_shared *shared;
	const struct engine_host *host;
	struct address_space *space;
	struct tracer *tracer;
	int maps;		/* its open /proc/PID/maps; -1: it could not be opened */
	taddr syscall_insn;	/* the address of one in the program */
	struct shared_memory memory;
	struct engine_tables *tables;
	struct agent_module agent_rows; /* .rows is 0: there are none */
	struct known_code *known;
	size_t n_known, cap_known;
	taddr agent;		/* the blob in the program */
	size_t agent_size;
	struct near_area near[NEAR_AREAS];
	unsigned n_near;
	uint32_t room_entry, waits_entry; /* of the journal */
	struct pad *pads;
	struct engine_function *functions; /* as many, with the same indices */
	size_t n_pads, cap_pads, cap_functions;
	struct ring *ring;
	struct nodes *nodes;
	struct threads *threads;
	struct events events;
	struct engine_task *tasks; /* in the order in which they began */
	size_t n_tasks, cap_tasks;
	bool told_few;		/* the user has been told that addresses may be lacking */
	bool said_fatal;	/* the user has been told that the program has destroyed code of
				   ours */
	uint64_t told_lost, told_damaged, told_uncounted;
	uint64_t parked;	/* threads that waited for room and were stopped */
	uint64_t parked_at[AGENT_NO_THREAD + 1]; /* by number: the ring's position when it was */
	bool failed;		/* it has faulted, and is switched off */
	uint64_t hold_ns;	/* when a hold was wanted last */
	uint64_t paced_ns, paced_records; /* since the pace was last computed */
	uint32_t untimed, untimed_before; /* events between two readings of the clock, by the last
					     computation and the one before */
	bool suspended;
	bool armed;		/* a jump has been in the program */
	unsigned leaving_rounds; /* attempts to remove it ... */
	uint64_t leaving_ns;	/* ... since then */
	bool removed;		/* the jumps are out, for good */
};

static inline struct agent_shared *engine_agent(const struct engine *e)
{
	return (struct agent_shared *)e->memory.here;
}

/* addresses.c: tell the user, once, if the program may be lacking addresses because of ours. */
void addresses_look(struct engine *e);

/* memory.c */
/* How many bytes of addresses are mapped, but for the areas near code. */
size_t memory_size(const struct engine *e);
/* Map what the engine needs into the program, by @task, which is stopped. 0, or -errno with a
 * sentence: nothing is left mapped. */
int memory_open(struct engine *e, struct task *task, struct error *why);
/* Unmap it again, by a stopped task. 0, or -errno: its seccomp filter would kill it, and everything
 * stays mapped. */
int memory_close(struct engine *e, struct task *task);
/* In a forked copy of the program's memory, @e->space, which has everything but the shared memory:
 * map new shared memory at the same address. 0, or -errno with a sentence. */
int memory_open_copy(struct engine *e, struct task *child, struct error *why);
/* As memory_close(), for a forked copy of @e's space, which has not inherited the shared memory. */
void memory_leave_copy(const struct engine *e, struct task *child);
/* In such a copy, whose task may be in the middle of the agent: map a copy of the shared memory, as
 * if it had been inherited, so that the agent can finish. */
void memory_end_agent_in_copy(const struct engine *e, struct task *child);
/* All tasks are stopped, and none is in the agent: replace tables that a forked copy of the program
 * shares by new ones. 0 or -errno: nothing has changed. */
int memory_own_tables(struct engine *e);
/* Remove the journal's entries: the memory is not, or soon will not be, in the program any more. */
void memory_leave_journal(struct engine *e);
/* Unmap it here. */
void memory_release(struct engine *e);
/* near.c */
struct program_calls;
/* Room for @size bytes of code near @function, in near[*@area]. 0 or -errno. */
int near_room(struct engine *e, taddr function, size_t size, uint8_t *area);
/* Unmap all areas from the program, or a forked copy of it. 0 or -errno. */
int near_unmap(const struct engine *e, struct program_calls *c);
bool near_has(const struct engine *e, taddr pc);
/* Set the flags in @space, the program's or a forked copy of it. 0 or -errno. */
int near_set_active(const struct engine *e, const struct address_space *space, bool on);
/* Tell the agent where the areas are. */
void near_tell(const struct engine *e);
void near_enter_journal(struct engine *e);
void near_leave_journal(struct engine *e);

/* told.c: what the agent has to know */
/* Open the map of e->space, which cannot be opened once the program is undumpable. */
void told_open(struct engine *e);
/* Tell it where memory is readable and writable. 0 or -errno. */
int tell_ranges(struct engine *e);
/* In a forked copy of @parent's program: what the parent's agent has been told, which is true
 * there, too. 0 or -ENOMEM. */
int tell_copy(struct engine *e, const struct engine *parent);
/* Tell it of the memory at @sp, a new thread's stack, unless it knows that. */
void tell_stack(struct engine *e, taddr sp);
/* Tell it the call frame rows of mapped code, and of our own. 0 or -errno. */
int tell_modules(struct engine *e, const struct mappings *maps);
/* The same after pads have been placed. */
int tell_own_code(struct engine *e);
/* All tasks are stopped, and none is in the agent: write all rows anew, without those of files that
 * are not mapped any more. */
void tell_rows_anew(struct engine *e);

/* own_code.c: chains through our own code */
/* The rows of the agent, relative to its beginning; the caller's to release. 0 or -errno. */
int own_code_of_agent(struct cfi_rows *out);
/* The rows of the pads and slots in near[@area]. The same. */
int own_code_of_pads(const struct engine *e, unsigned area, struct cfi_rows *out);
/* See struct engine_ops. */
bool own_code_has(const struct engine *e, taddr pc);
bool own_code_leave(const struct engine *e, struct arch_frame *f, bool exact,
		    bool (*read)(void *reader, taddr at, uint64_t *word), void *reader);
/* The part of own_code_leave() that unwinds from the agent to the pad that called it. */
bool own_code_leave_agent(const struct engine *e, struct arch_frame *f, bool exact,
			  bool (*read)(void *reader, taddr at, uint64_t *word), void *reader);
/* The program's instruction for a @pc in our code at which a signal interrupted the task. */
taddr own_code_stands_for(const struct engine *e, taddr pc);

/* renew.c */
/* Is a table full that the agent or we fill? Then a hold is needed. */
bool renew_is_due(const struct engine *e);
/* All tasks are stopped: empty full tables. False: a task is in the middle of the agent. */
bool renew(struct engine *e);

/* pads.c */
enum engine_answer pads_plan(struct engine *e, const struct engine_function *f, const char **why);
/* Write what has been planned; as engine_ops.arm(). */
int pads_arm(struct engine *e, bool held, struct error *why);
/* See struct engine_ops. */
void pads_drop(struct engine *e, const char *why);
/* See struct engine_ops. */
bool pads_has_jump(const struct engine *e, taddr function);
/* Is @pc in a slot, which is as it was written? Then its instructions are the program's own. */
bool pads_is_displaced(const struct engine *e, taddr pc);
/* How many of the jumps are not in place. */
unsigned pads_undone(const struct engine *e);
/* Put the program's own bytes back in @space, where the jumps still are. */
void pads_lift(const struct engine *e, const struct address_space *space);
/* In a forked copy of the space, whose task may still return through pads: have the agent's entries
 * do nothing. */
void pads_leave_copy(const struct engine *e, const struct address_space *copy);
/* Give @e, the engine of a forked copy of @from's space, the same pads. 0 or -ENOMEM. */
int pads_copy(struct engine *e, const struct engine *from);
/* Have the calls of these pads seen from here on. 0 or -errno. */
int pads_begin_copy(struct engine *e, const struct address_space *from);

/* beside.c */
/* See struct engine_ops. */
bool beside_inside(const struct engine *e, const struct task *task);
void beside_pending(struct engine *e, const struct task *task, taddr ret_at, taddr ret);
/* A task with this thread number has ended. */
void beside_ended(struct engine *e, uint32_t number);

/* Tell the agent about the trapped calls of the tasks with this thread number. */
void beside_tell(struct engine *e, uint32_t number);

/* strangers.c */
/* Answer the thread that waits to be known by its thread pointer, if there is one. */
void strangers_answer(struct engine *e);
/* Look whether stopped tasks that began without a thread pointer have one now. */
void strangers_look(struct engine *e);

/* fork.c */
/* See struct engine_ops. */
struct engine *fork_engine(struct engine *parent, struct task *child,
			   const struct engine_host *host, int *err, struct error *why);
void fork_clean_copy(const struct engine *e, struct task *child);

/* engine.c */
/* Make the readers of the shared memory. False: out of memory. */
bool engine_make_readers(struct engine *e);
/* See struct engine_ops. */
void engine_thread_begins(struct engine *e, struct task *task);
void engine_free(struct engine *e);

/* faults.c */
/* See struct engine_ops. */
bool faults_pass(struct engine *e, struct task *task);

/* tasks.c */
/* The tid of a task that has not ended, for reading the program's /proc files. */
pid_t tasks_tid(const struct engine *e);
/* A task that can be made to make system calls; NULL: none can. */
struct task *tasks_caller(const struct engine *e);
/* Move tasks whose pc is in the bytes that jumps will replace. 0, or -EAGAIN: one may return
 * there. */
int tasks_make_way(struct engine *e);
/* The entry of a task; NULL: there is none. */
struct engine_task *tasks_entry(const struct engine *e, const struct task *task);
/* Read the thread pointer of a stopped task: a program begins without one, and the dynamic linker
 * sets it before it reports that libraries are loaded. */
void tasks_look_at_thread_pointer(struct engine *e, struct engine_task *t);
/* Is no task in the agent, or about to return to it? */
bool tasks_are_outside_agent(struct engine *e);
/* Is the only task of a forked copy of the space neither in pads, slots or the agent, nor about to
 * return to them? */
bool tasks_copy_has_left(const struct engine *e, const struct task *child);
/* Is such a task neither in the agent nor about to return to it? @host: can unwind its stack; may
 * be NULL. */
bool tasks_copy_is_outside_agent(const struct engine *e, struct task *child,
				 const struct engine_host *host);
/* Is no task in pads, slots or the agent any more, or about to return to them? */
bool tasks_have_left(struct engine *e);

#endif
