/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_JOURNAL_H
#define MPROF_ATTACH_JOURNAL_H

#include "arch/arch.h"
#include "attach/sigmask.h"
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
 * Between any two system calls of the tracer, and at the end of each, the journal suffices to tell
 * what every register and every byte of the program would be without us. Where it does not (the
 * kernel let a task run on before it could be inspected) the program is killed: it must not go on
 * with a wrong result.
 */
struct journal;

#define JOURNAL_NONE UINT32_MAX

/* What we have put into a program. */
enum journal_kind {
	JOURNAL_BREAKPOINT,	/* and the out-of-line slot that belongs to it */
	JOURNAL_JUMP,	/* to code of ours, without a trap */
	JOURNAL_MEMORY,	/* addresses at which only we have mapped something */
	JOURNAL_FILE,	/* a file descriptor of ours, open for a moment: see journal_file_name */
	JOURNAL_WAITS,	/* bytes of which one is not 0 while a thread waits for the tracer */
};

struct journal_entry {
	enum journal_kind kind;
	pid_t pid;			/* thread group whose memory it is in; 0: nothing */
	taddr at;
	uint8_t own[ARCH_INSN_MAX];	/* the instruction that was there */
	uint8_t insn_size;
	taddr slot;			/* 0: none */
	uint8_t slot_size;
	uint8_t slot_own[ARCH_SLOT_MAX]; /* what the slot's memory held; JOURNAL_JUMP: the jump */
	taddr flag;			/* JOURNAL_JUMP: a byte that switches it off */
	uint64_t size;			/* JOURNAL_MEMORY, JOURNAL_WAITS: in bytes */
};

/* The name of the memfd_create(2) file of a JOURNAL_FILE. It is found by name, for its descriptor's
 * number is not known before it exists. */
extern const char journal_file_name[6];

/* Shared memory for the journal; call before the forks that make the tracer and the keeper. NULL
 * with errno set. */
struct journal *journal_new(void);
void journal_free(struct journal *g);

/* ---- what the tracer writes; @g may be NULL: there is no watchdog ---- */

/* Take the lock whose release tells of the tracer's end, and wait until @keeper, if it is not 0,
 * has seized us. @meeting: the other end of the keeper's socket; closed. Returns 0 or an errno
 * value. */
int journal_enter(struct journal *g, pid_t keeper, int meeting);
/* The tracer is about to end, and has undone everything. */
void journal_leave(struct journal *g);

/* Write an entry, before the change is made. Returns its number, or JOURNAL_NONE: the journal is
 * full. */
uint32_t journal_add(struct journal *g, const struct journal_entry *e);
/* The change has been undone, or its memory is gone. */
void journal_remove(struct journal *g, uint32_t number);

/* A stopped process, created by fork(2), has a copy of what is in its parent (copies); and all of
 * that has been written or undone (copied). In between the parent's entries hold for it, too. */
void journal_copies(struct journal *g, pid_t pid);
void journal_copied(struct journal *g, pid_t pid);

/* The tracer has taken what the programs reported without a stop, see attach/hang.h. */
void journal_beats(struct journal *g);

/*
 * As waitpid(2) with __WALL, but the kernel writes the result into the journal: if the tracer is
 * killed in this very call, the result would otherwise be lost. journal_noted(): the tracer has
 * dealt with it.
 */
pid_t journal_wait_for(struct journal *g, pid_t pid, int *wstatus, int flags);
void journal_noted(struct journal *g);

/* A task, and the thread group whose memory it runs in. */
struct journal_who {
	pid_t tid, pid;
};

/* A task gets a record as soon as there is something to write; *@record is its number, 0 if it has
 * none yet. */

/* It has stopped for a SIGTRAP that has not been served yet. */
void journal_trapped(struct journal *g, uint32_t *record, struct journal_who who);

/* It has stopped for a signal, which is to be delivered to it. */
void journal_owes(struct journal *g, uint32_t *record, struct journal_who who, const siginfo_t *si);

/* It is in a group stop. If all tasks of a process are, the process is to stay stopped. */
void journal_stopped(struct journal *g, uint32_t *record, struct journal_who who);

/* A word that is written to the program's memory: what an emulated instruction stores. */
struct journal_word {
	taddr at;
	uint64_t value;
};

/* The registers of a task that stopped for a trap are about to become @to; and @word, unless it is
 * NULL, is about to be written. @from: its pc until then. */
void journal_changes(struct journal *g, uint32_t record, taddr from, const struct arch_regs *to,
		   const struct journal_word *word);

/* A task's own registers and signal mask while it is made to run a system call. */
struct journal_call {
	taddr insn;		/* the instruction that makes the call; 0: it makes none */
	struct arch_regs regs;
	sigmask mask;
};

/* A stopped task is about to be made to run a system call (calls); and its registers and mask have
 * been restored (called). */
void journal_calls(struct journal *g, uint32_t *record, struct journal_who who,
		   const struct journal_call *call);
void journal_called(struct journal *g, uint32_t record);

/* It is about to run a single instruction in its own place. */
void journal_steps(struct journal *g, uint32_t record);

/* It is about to be resumed as it is (goes on); it has been resumed, with the signal that it was
 * owed (went on). */
void journal_goes_on(struct journal *g, uint32_t record);
void journal_went_on(struct journal *g, uint32_t record);

/* It has ended, or is not ours any more. */
void journal_forget(struct journal *g, uint32_t *record);

#endif
