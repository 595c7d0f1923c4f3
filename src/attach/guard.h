/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_GUARD_H
#define MPROF_ATTACH_GUARD_H

#include "arch/arch.h"
#include "taddr.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What has to be undone if the tracer dies without undoing it (kill -9, a crash): a journal in
 * memory shared with the processes that watch over the tracer. The tracer writes it, before each
 * change it makes to a program or to a task; the others act on it after the tracer was killed.
 *
 * Between any two system calls of the tracer, and at the end of each, the journal is enough to tell what
 * every register and every byte of the program would be without us. Where it is not (the kernel let a
 * task run on before it could be looked at) the program is ended: it must not go on with a wrong result.
 */
struct guard;

#define GUARD_NONE UINT32_MAX

/* A trap, and the out-of-line slot that belongs to it. */
struct guard_entry {
	pid_t pid;			/* thread group whose memory it is in; 0: nothing */
	taddr at;
	uint8_t own[ARCH_INSN_MAX];	/* the instruction that was there */
	uint8_t insn_size;
	taddr slot;			/* 0: none */
	uint8_t slot_size;
	uint8_t slot_own[ARCH_SLOT_MAX]; /* what the slot's memory held */
};

/* Shared memory for the journal; call before the forks that make the tracer and the keeper. NULL with
 * errno set. */
struct guard *guard_new(void);
void guard_free(struct guard *g);

/* ---- the tracer's side; @g may be NULL: nobody watches ---- */

/* Take hold of the lock whose release tells of the tracer's end, and wait until @keeper, if it is not 0,
 * holds us. Returns 0 or an errno value. */
int guard_enter(struct guard *g, pid_t keeper);
/* Everything has been undone. */
void guard_leave(struct guard *g);

/* Write an entry, before the change is made. Its number, or GUARD_NONE: the journal is full. */
uint32_t guard_add(struct guard *g, const struct guard_entry *e);
/* The change has been undone, or its memory is gone. */
void guard_remove(struct guard *g, uint32_t number);

/*
 * As waitpid(2) with __WALL, but the kernel writes what it tells into the journal: the tracer may be killed
 * in the very call, and then nobody else knows of it. guard_noted(): it has been written down.
 */
pid_t guard_wait_for(struct guard *g, pid_t pid, int *wstatus, int flags);
void guard_noted(struct guard *g);

/* A task, and whose memory it runs in. */
struct guard_who {
	pid_t tid, pid;
};

/* A task has a record as soon as there is something to be said of it; *@record is its number, 0 if it has
 * none yet. */

/* It has stopped for a SIGTRAP, of which nothing has been done yet. */
void guard_trapped(struct guard *g, uint32_t *record, struct guard_who who);

/* It has stopped for a signal, which it is to get. */
void guard_owes(struct guard *g, uint32_t *record, struct guard_who who, const siginfo_t *si);

/* It is stopped by job control. If all tasks of a process are, it is to stay so. */
void guard_stopped(struct guard *g, uint32_t *record, struct guard_who who);

/* A word that is written to the program's memory: what an emulated instruction stores. */
struct guard_word {
	taddr at;
	uint64_t value;
};

/* The registers of a task that stopped for a trap are about to become @to; and @word, unless it is NULL,
 * is about to be written. @from: its pc until then. */
void guard_changes(struct guard *g, uint32_t record, taddr from, const struct arch_regs *to,
		   const struct guard_word *word);

/* It is about to run a single instruction in its own place. */
void guard_steps(struct guard *g, uint32_t record);

/* It is about to go on, as it is; it has gone on, with the signal that it was owed. */
void guard_goes_on(struct guard *g, uint32_t record);
void guard_went_on(struct guard *g, uint32_t record);

/* It has ended, or is not ours any more. */
void guard_forget(struct guard *g, uint32_t *record);

/* ---- the watching side ---- */

/* Become the process that holds the tracer: it is woken by the kernel before the tracer lets go of its
 * tasks. Returns when the tracer has ended and the programs have been put in order. */
void guard_keep(struct guard *g);

/* There will be no tracer, so the keeper need not wait for it. */
void guard_no_tracer(struct guard *g);

/* Wait for the end of @tracer, our child. True: it left without undoing everything. */
bool guard_wait(struct guard *g, pid_t tracer);

/* A keeper holds, or has held, the tracer. */
bool guard_is_kept(const struct guard *g);

/* The keeper, now dead or never there, has not done what is to be done. */
bool guard_is_left_to_us(const struct guard *g);

/* First aid, at once: stop the programs before the kernel lets them run on without a tracer. */
void guard_stop_programs(struct guard *g);

/* When the tracer is gone: put the programs' own bytes and program counters back and let them go on. */
void guard_recover(struct guard *g);

/* What has become of a program. */
enum guard_end {
	GUARD_ALIVE,	/* it was put back in order and goes on */
	GUARD_DIED,	/* of the signal, or, if that is 0, of what nobody could see */
	GUARD_ENDED,	/* by us, because what its task would have gone on with could not be known */
};

struct guard_fate {
	pid_t pid;
	enum guard_end end;
	int signal;
	pid_t task;
};

/* What guard_recover() has come to; @i from 0. False: there are no more. */
bool guard_next_fate(const struct guard *g, unsigned i, struct guard_fate *f);

#endif
