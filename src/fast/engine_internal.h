/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_ENGINE_INTERNAL_H
#define MPROF_FAST_ENGINE_INTERNAL_H

/* What the files of the fast engine share: engine.c (the seam), memory.c (what is mapped into the
 * program), told.c (what the agent has to know), pads.c (what is written into it), own_code.c
 * (chains that lead through that), faults.c (what its instructions may do wrong), tasks.c (where
 * its threads stand), beside.c (calls that are trapped beside it), fork.c (copies of its
 * program). */

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
	struct cfi_rows agent;	/* of the agent's own code */
};

/* Memory that is mapped into the program, and here: a sealed file without a name. */
struct shared_memory {
	uint8_t *here;
	taddr there;
	size_t size;
};

/* Tables for the agent, in the program's memory; a copy that fork has made of the program has the
 * same ones in the same place. What has been written is not changed as long as somebody else has
 * them. */
struct engine_tables {
	unsigned users;			/* engines */
	struct shared_memory memory;
	struct placed_rows rows;	/* what is in there */
};

/* Code of ours, and a flag, near the code that they are about. */
struct near_area {
	taddr at;
	size_t size, used;	/* of the code; a page with the flag is behind it */
	taddr active;		/* the flag: one byte */
	uint32_t journal_entry;
	struct agent_module rows; /* what describes it; .rows is 0: nothing yet */
};

enum { NEAR_AREAS = 16 };

_Static_assert((int)NEAR_AREAS <= (int)AGENT_PADS, "the agent knows all of them");

/* A function that has a pad, or is to have one. */
struct pad {
	taddr at;		/* the function */
	struct arch_patch patch;
	taddr slot, code;	/* its moved instructions; the pad. 0: not placed yet */
	uint16_t slot_size, code_size;
	uint8_t area;		/* of near[]: where it is */
	struct arch_pad_row rows[ARCH_PAD_ROWS];
	uint16_t n_rows;
	taddr return_site;	/* where the function returns to in the pad */
	uint32_t journal_entry;
	bool written;		/* the jump is in the program */
	bool gone;		/* its module is not mapped any more */
};

/* Code of the program's, and what describes its frames. */
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
	bool settled;		/* it has had a thread pointer when it was looked at */
};

struct engine {
	struct engine_shared *shared;
	const struct engine_host *host;
	struct address_space *space;
	struct tracer *tracer;
	taddr syscall_insn;	/* where the program has one */
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
	struct engine_function *functions; /* the same number of them, by the same numbers */
	size_t n_pads, cap_pads, cap_functions;
	struct ring *ring;
	struct nodes *nodes;
	struct threads *threads;
	struct events events;
	struct engine_task *tasks; /* in the order in which they have begun */
	size_t n_tasks, cap_tasks;
	bool said_fatal;	/* that the program has done away with code of ours */
	uint64_t told_lost, told_damaged, told_uncounted;
	uint64_t parked;	/* threads that waited for room and were stopped */
	uint64_t parked_at[AGENT_NO_THREAD + 1]; /* by number: the ring's position when it was */
	bool failed;		/* it has made a fault, and is switched off */
	uint64_t hold_ns;	/* when a hold was wanted last */
	uint64_t paced_ns, paced_records; /* since it was reckoned how often to look at the clock */
	uint32_t untimed, untimed_before; /* what that has come to, and the time before: events */
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
/* In a copy of the program's memory, @e->space, where all is but for what is shared: share it anew,
 * in the same place. 0, or -errno with a sentence. */
int memory_open_copy(struct engine *e, struct task *child, struct error *why);
/* As memory_close(), of a copy of @e's space, which has not inherited all of it. */
void memory_leave_copy(const struct engine *e, struct task *child);
/* In such a copy, whose task may be in the middle of the agent: what it shares with us, as if it
 * had been inherited, so that the agent comes to its end. */
void memory_end_agent_in_copy(const struct engine *e, struct task *child);
/* All are stopped, and none is in the agent: have tables that no copy of the program shares. 0 or
 * -errno: they are what they were. */
int memory_own_tables(struct engine *e);
/* It is not, or will not be, in the program any more. */
void memory_leave_journal(struct engine *e);
/* Our own side of it. */
void memory_release(struct engine *e);
/* near.c */
struct program_calls;
/* Room for @size bytes of code near @function, in near[*@area]. 0 or -errno. */
int near_room(struct engine *e, taddr function, size_t size, uint8_t *area);
/* Take all of it out of the program, or a copy of it. 0 or -errno. */
int near_unmap(const struct engine *e, struct program_calls *c);
bool near_has(const struct engine *e, taddr pc);
/* Set the flags in @space, the program's or a copy of it. 0 or -errno. */
int near_set_active(const struct engine *e, const struct address_space *space, bool on);
/* Tell the agent where it is. */
void near_tell(const struct engine *e);
void near_enter_journal(struct engine *e);
void near_leave_journal(struct engine *e);

/* told.c: what the agent has to know */
/* Where memory is readable and writable. 0 or -errno. */
int tell_ranges(struct engine *e);
/* In a copy of the program of @parent: what that has been told, for it is the same. 0 or
 * -ENOMEM. */
int tell_copy(struct engine *e, const struct engine *parent);
/* Is @at in what the agent has been told of? */
bool told_ranges_have(const struct engine *e, taddr at);
/* What describes the frames of the code that is mapped, and of our own. 0 or -errno. */
int tell_modules(struct engine *e, const struct mappings *maps);
/* The same after pads have been placed. */
int tell_own_code(struct engine *e);
/* All are stopped, and none is in the agent: write anew what describes frames, without what is not
 * mapped any more. */
void tell_rows_anew(struct engine *e);

/* own_code.c: chains that lead through what is ours */
/* The rows of the agent, from its beginning on: 0 or -errno. They are released by the caller. */
int own_code_of_agent(struct cfi_rows *out);
/* The rows of the pads and slots in near[@area]. The same. */
int own_code_of_pads(const struct engine *e, unsigned area, struct cfi_rows *out);
/* See struct engine_ops. */
bool own_code_has(const struct engine *e, taddr pc);
bool own_code_leave(const struct engine *e, struct arch_frame *f, bool exact,
		    bool (*read)(void *reader, taddr at, uint64_t *word), void *reader);
/* From the agent to the pad that has called it: its part of own_code_leave(). */
bool own_code_leave_agent(const struct engine *e, struct arch_frame *f, bool exact,
			  bool (*read)(void *reader, taddr at, uint64_t *word), void *reader);
/* The instruction of the program's that one of ours, which a signal has interrupted, stands for. */
taddr own_code_stands_for(const struct engine *e, taddr pc);

/* renew.c */
/* Is one of the tables full that the agent and we fill? Then a hold is wanted. */
bool renew_is_due(const struct engine *e);
/* All are stopped: begin anew what is full. False: a task is in the middle of the agent. */
bool renew(struct engine *e);

/* pads.c */
enum engine_answer pads_plan(struct engine *e, const struct engine_function *f, const char **why);
/* Write what has been planned; as engine_ops.arm(). */
int pads_arm(struct engine *e, bool held, struct error *why);
/* See struct engine_ops. */
void pads_drop(struct engine *e, const char *why);
/* How many of the jumps are not in place. */
unsigned pads_undone(const struct engine *e);
/* Put the program's own bytes back, where the jumps still stand, in @space. */
void pads_lift(const struct engine *e, const struct address_space *space);
/* In a copy of the space, whose task has not returned through pads yet: nothing is told there. */
void pads_leave_copy(const struct engine *e, const struct address_space *copy);
/* In a copy of @from's space, which @e is to be the engine of: the same pads. 0 or -ENOMEM. */
int pads_copy(struct engine *e, const struct engine *from);
/* They are seen from here on. 0 or -errno. */
int pads_begin_copy(struct engine *e, const struct address_space *from);

/* beside.c */
/* See struct engine_ops. */
bool beside_inside(const struct engine *e, const struct task *task);
void beside_pending(struct engine *e, const struct task *task, taddr ret_at, taddr ret);
/* Of the tasks with this number one has ended. */
void beside_ended(struct engine *e, uint32_t number);

/* Tell what is known of the tasks with this number. */
void beside_tell(struct engine *e, uint32_t number);

/* strangers.c */
/* A thread may be waiting to be known by its thread pointer: see to it. */
void strangers_answer(struct engine *e);
/* Of tasks that have begun without a thread pointer: look whether they have one now, those that are
 * stopped. */
void strangers_look(struct engine *e);

/* fork.c */
/* See struct engine_ops. */
struct engine *fork_engine(struct engine *parent, struct task *child,
			   const struct engine_host *host, int *err, struct error *why);
void fork_clean_copy(const struct engine *e, struct task *child);

/* engine.c */
/* The readers of memory that is shared. False: out of memory. */
bool engine_make_readers(struct engine *e);
/* See struct engine_ops. */
void engine_thread_begins(struct engine *e, struct task *task);
void engine_free(struct engine *e);

/* faults.c */
/* See struct engine_ops. */
bool faults_pass(struct engine *e, struct task *task);

/* tasks.c */
/* A task by whose number /proc tells of the program: one that has not ended. */
pid_t tasks_tid(const struct engine *e);
/* One that can be made to make system calls; NULL: none can. */
struct task *tasks_caller(const struct engine *e);
/* Move tasks that stand in the bytes that the jumps are to take. 0, or -EAGAIN: one may come back
 * there. */
int tasks_make_way(struct engine *e);
/* What is known of a task; NULL: nothing. */
struct engine_task *tasks_entry(const struct engine *e, const struct task *task);
/* Of a stopped task: a program begins without a thread pointer, which the dynamic linker sets
 * before it tells that its libraries are there. */
void tasks_look_at_thread_pointer(struct engine *e, struct engine_task *t);
/* Is no task in the middle of the agent, nor comes back there? */
bool tasks_are_outside_agent(struct engine *e);
/* Is the only task of a copy of the space, made by fork, nowhere in pads, slots or agent, nor comes
 * back to them? */
bool tasks_copy_has_left(const struct engine *e, const struct task *child);
/* Is such a task nowhere in the agent, nor comes back to it? @host: who can follow its stack;
 * NULL: nobody. */
bool tasks_copy_is_outside_agent(const struct engine *e, struct task *child,
				 const struct engine_host *host);
/* Is no task in pads, slots or agent any more, nor comes back to them? */
bool tasks_have_left(struct engine *e);

#endif
