/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_RECOVERY_H
#define MPROF_ATTACH_RECOVERY_H

#include "attach/journal_internal.h"

/*
 * What the journal of a tracer that was killed means for a task: decisions over plain data, without
 * a system call.
 */

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

enum recovery_call {
	RECOVERY_NO_CALL,
	RECOVERY_UNDO_CALL,	/* give it back what its record has; it is to be judged by that */
	RECOVERY_RAN_ON,	/* nobody has stopped it behind the call: it is lost */
};

/* Was the task, whose registers are @now, being made to run a system call? It may be at any point
 * of that. Calls that have been interrupted for it are begun again by the kernel, for the registers
 * tell that. */
enum recovery_call recovery_call(const struct journal_task *record, const struct arch_regs *now);

/* What it was doing; @heard: what the tracer had been told and not yet noted. */
enum journal_state recovery_state(const struct journal_task *record, pid_t tid,
				  const siginfo_t *heard);

/**
 * What to do to a task of @pid whose registers are @now.
 * @record  its record, or NULL      @state  see recovery_state()
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

/* Is what @code holds, insn_size bytes read there, the jump, or a part of it beside what was there
 * before? */
bool recovery_has_jump(const struct journal_entry *e, const uint8_t *code);

/* Is what @code holds, slot_size bytes read there, what we have put into the slot? */
bool recovery_has_slot(const struct journal_entry *e, const uint8_t *code);

#endif
