/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_JOURNAL_INTERNAL_H
#define MPROF_ATTACH_JOURNAL_INTERNAL_H

/* The journal as its own files see it: journal.c (who writes it), recovery.c (what it means),
 * rescue.c (who acts on it), keeper.c (who waits). Nobody else includes this but their tests. */

#include "attach/journal.h"

#include "attach/task.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

/* Of all of these, memory is used only as far as it is written. */
#define JOURNAL_MAX_ENTRIES (1u << 20)
#define JOURNAL_MAX_TASKS (1u << 16)
#define JOURNAL_MAX_PROGRAMS (1u << 14)

enum journal_state {
	JOURNAL_RUNS,	/* its registers are its own, but for a pc that is in a slot */
	JOURNAL_TRAPPED,	/* the SIGTRAP it stopped for is gone, and nothing was done about it
				   yet */
	JOURNAL_CHANGES,	/* its registers are becoming what is written here */
	JOURNAL_STEPS,	/* as JOURNAL_RUNS; and a SIGTRAP that is heard of is that of the step */
};

struct journal_task {
	pid_t tid;		/* 0: nobody */
	pid_t pid;
	enum journal_state state;
	bool stopped;		/* by job control */
	siginfo_t owed;		/* si_signo 0: nothing */
	taddr from;		/* JOURNAL_CHANGES: */
	struct arch_regs to;
	bool has_word;
	struct journal_word word;
};

struct journal_program {
	pid_t pid;		/* 0: nothing of it is in the journal */
	uint32_t entries;
	struct program_fate fate;	/* pid 0: it has not been looked after */
};

struct journal {
	pthread_mutex_t alive;	/* robust: the tracer holds it as long as it lives */
	sem_t entered;		/* the tracer is there, or will never be */
	sem_t held;		/* the keeper holds it, or cannot */
	_Atomic pid_t tracer;
	atomic_bool clean;	/* it left in good order */
	atomic_bool kept;	/* the keeper holds it */
	atomic_bool rescued;	/* the keeper has done all there was to do */
	siginfo_t heard;	/* by the tracer, and not yet noted; si_pid 0: nothing */
	atomic_bool unrecorded;	/* there was no room for a task */
	uint32_t free_entry;	/* number + 1 of one to use again; its `at` links to the next */
	uint32_t free_task;	/* the same; its `pid` links to the next */
	atomic_uint n_entries, n_tasks, n_programs; /* used so far */
	struct journal_program programs[JOURNAL_MAX_PROGRAMS];
	struct journal_task tasks[JOURNAL_MAX_TASKS];
	struct journal_entry entries[JOURNAL_MAX_ENTRIES];
};

/* ---- recovery.c: what the journal means; no system call but reads of what it is handed ---- */

/* How a task stood when the tracer was held and could let go of nobody. */
struct recovery_seen {
	pid_t tid, pid;
	char state;		/* as in /proc/TID/stat */
	int untold;		/* what waitpid had still to tell of its stop; 0: nothing */
	bool trap_comes;	/* a SIGTRAP that the tracer has not been told of */
	bool has_pc;
	taddr pc;
};

/* Where a pc is. */
enum recovery_where {
	PC_OWN,	/* where the program itself put it, as far as can be told */
	PC_IN_SLOT,
	PC_BEHIND,	/* a breakpoint's first byte, where no instruction begins */
	PC_PAST,	/* a breakpoint, or the one-byte instruction in whose place it is */
};

/* @own: where it would be in the program itself; PC_PAST: if that was the breakpoint. */
enum recovery_where recovery_where(const struct journal *g, pid_t pid, taddr pc, taddr *own);

enum recovery_verdict {
	RECOVERY_LEAVE,		/* it is as it should be */
	RECOVERY_MOVE_RETURN,	/* the same, but a signal handler will come back to the slot where
				   it was seen: to *@own instead */
	RECOVERY_SET_PC,		/* to *@own */
	RECOVERY_SET_ALL,		/* to what its record has, and to that pc */
	RECOVERY_SEND_TRAP,	/* the SIGTRAP that is gone was the program's own */
	RECOVERY_LOST,		/* it has gone on from somewhere in the middle */
};

/* What it was doing; @heard: what the tracer had been told and not yet noted. */
enum journal_state journal_state(const struct journal_task *record, pid_t tid,
				 const siginfo_t *heard);

/**
 * What to do to a task of @pid whose registers are @now.
 * @record  its record, or NULL      @state  see journal_state()
 * @seen    how it stood while the tracer was held, or NULL: it was not
 */
enum recovery_verdict recovery_judge(const struct journal *g, pid_t pid,
				     const struct journal_task *record, enum journal_state state,
				     const struct recovery_seen *seen, const struct arch_regs *now,
				     taddr *own);

/* Has the task run into a breakpoint of ours, or made our step, and nobody has been told? It will
 * die of SIGTRAP; or its program handles that, and would go on behind it. */
bool recovery_missed_trap(const struct journal *g, const struct recovery_seen *seen);

/* Is what @code holds, insn_size bytes read at the entry's address, the breakpoint and the rest of
 * its instruction? */
bool recovery_has_breakpoint(const struct journal_entry *e, const uint8_t *code);

/* Is what @code holds, slot_size bytes read there, what we have put into the slot? */
bool recovery_has_slot(const struct journal_entry *e, const uint8_t *code);

const struct journal_task *journal_record(const struct journal *g, pid_t tid);

/* ---- rescue.c ---- */

/* How all tasks stood while the tracer was held. */
struct recovery_sight {
	struct recovery_seen *v;
	size_t n, cap;
};

/* The tracer is held: find out how all tasks stand, which have been stopped. */
void recovery_look(struct journal *g, struct recovery_sight *s);

/* The tracer is gone. @s: NULL if it was not held to the end. */
void recovery_put_right(struct journal *g, const struct recovery_sight *s);

#endif
