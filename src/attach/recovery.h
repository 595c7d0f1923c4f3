/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_RECOVERY_H
#define MPROF_ATTACH_RECOVERY_H

#include "attach/journal_internal.h"

/*
 * What the journal of a tracer that was killed means for a task: decisions over plain data, without
 * a system call.
 */

/* The state of a task while the tracer was held in its exit, its tracees still attached. */
struct recovery_seen {
	pid_t tid, pid;
	char state;		/* as in /proc/TID/stat */
	int untold;		/* the stop's signal that waitpid has not reported yet; 0: none */
	bool trap_comes;	/* a SIGTRAP is pending that waitpid has not reported */
	bool has_pc;
	taddr pc;
};

/* Where a pc is, as to our breakpoints and slots. */
enum recovery_where {
	PC_OWN,	/* where the program itself put it, as far as can be told */
	PC_IN_SLOT,
	PC_BEHIND,	/* behind a breakpoint's first byte, where no instruction begins */
	PC_PAST,	/* behind a breakpoint, or the one-byte instruction that it replaces */
};

/* @own: where it would be without us; PC_PAST: where it would be if it has hit the breakpoint. */
enum recovery_where recovery_where(const struct journal *g, pid_t pid, taddr pc, taddr *own);

enum recovery_verdict {
	RECOVERY_LEAVE,		/* it is as it should be */
	RECOVERY_MOVE_RETURN,	/* the same, but a signal handler will come back to the slot where
				   it was seen: to *@own instead */
	RECOVERY_SET_PC,		/* to *@own */
	RECOVERY_SET_ALL,		/* to the registers of its record, with the pc *@own */
	RECOVERY_SEND_TRAP,	/* the SIGTRAP that is gone was the program's own */
	RECOVERY_LOST,		/* it ran on from an intermediate state, and cannot be put right */
};

enum recovery_call {
	RECOVERY_NO_CALL,
	RECOVERY_UNDO_CALL,	/* restore the registers of its record, and judge it by these */
	RECOVERY_RAN_ON,	/* it ran on behind the call, and cannot be put right */
};

/* Was the task, whose registers are @now, being made to run a system call? It may be at any point
 * of that. A call of its own that was interrupted for it is restarted by the kernel, as the
 * restored registers say. */
enum recovery_call recovery_call(const struct journal_task *record, const struct arch_regs *now);

/* What the tracer was doing with it; @heard: what waitpid had reported and the tracer not yet
 * noted. */
enum journal_state recovery_state(const struct journal_task *record, pid_t tid,
				  const siginfo_t *heard);

/**
 * What to do to a task of @pid whose registers are @now.
 * @record  its record, or NULL      @state  see recovery_state()
 * @seen    its state while the tracer was held, or NULL: it was not recorded
 */
enum recovery_verdict recovery_judge(const struct journal *g, pid_t pid,
				     const struct journal_task *record, enum journal_state state,
				     const struct recovery_seen *seen, const struct arch_regs *now,
				     taddr *own);

/* Has the task hit a breakpoint of ours, or made our step, without the tracer having been told? It
 * will die of SIGTRAP; or the program's handler gets it, and the task would go on behind the
 * breakpoint. */
bool recovery_missed_trap(const struct journal *g, const struct recovery_seen *seen);

/* Is what @code holds, insn_size bytes read at the entry's address, the breakpoint and the rest of
 * its instruction? */
bool recovery_has_breakpoint(const struct journal_entry *e, const uint8_t *code);

/* Is what @code holds, insn_size bytes read there, the jump, or a part of it and the rest of what
 * was there before? */
bool recovery_has_jump(const struct journal_entry *e, const uint8_t *code);

/* Is what @code holds, slot_size bytes read there, what we have put into the slot? */
bool recovery_has_slot(const struct journal_entry *e, const uint8_t *code);

#endif
