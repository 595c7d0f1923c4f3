/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_STOP_H
#define MPROF_ATTACH_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* What waitpid has reported of a task, as plain data. */
enum stop_kind {
	STOP_EXITED,	   /* arg: exit status */
	STOP_KILLED,	   /* arg: the signal */
	STOP_TRAP,	   /* it ran a trap instruction, ours or its own */
	STOP_STEPPED,	   /* a single step is done */
	STOP_SIGNAL,	   /* a signal is about to be delivered; arg: which */
	STOP_GROUP,	   /* it is stopped by job control; arg: the stopping signal */
	STOP_HELD,	   /* a new task's first stop, or the answer to PTRACE_INTERRUPT */
	STOP_SYSCALL,	   /* it begins or ends a system call */
	STOP_PTRACE_EVENT, /* arg: PTRACE_EVENT_* */
};

struct stop {
	pid_t tid;
	enum stop_kind kind;
	int arg;
};

/**
 * Decode what waitpid said of a task that is traced with PTRACE_SEIZE.
 * @si_code    of its siginfo; matters only if it stopped for a plain SIGTRAP (stop_needs_siginfo())
 * @trap_code  the si_code that this machine's trap instruction gives
 * Source: ptrace(2), "Stopped tracees".
 */
struct stop stop_decode(pid_t tid, int wstatus, int si_code, int trap_code);

/* Has the kernel sent the signal for an instruction that would fault again if it ran again? */
bool signal_is_fault(const siginfo_t *si);

/* Does stop_decode() need the si_code? */
int stop_needs_siginfo(int wstatus);

#endif
