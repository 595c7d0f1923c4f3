/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/stop.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

int stop_needs_siginfo(int wstatus)
{
	return WIFSTOPPED(wstatus) && wstatus >> 8 == SIGTRAP;
}

bool signal_is_fault(const siginfo_t *si)
{
	int sig = si->si_signo;

	return si->si_code > 0 &&
	       (sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL);
}

struct stop stop_decode(pid_t tid, int wstatus, int si_code, int trap_code)
{
	if (WIFEXITED(wstatus))
		return (struct stop){ tid, STOP_EXITED, WEXITSTATUS(wstatus) };
	if (WIFSIGNALED(wstatus))
		return (struct stop){ tid, STOP_KILLED, WTERMSIG(wstatus) };
	int sig = WSTOPSIG(wstatus), event = wstatus >> 16;

	if (event == PTRACE_EVENT_STOP)
		return (struct stop){ tid, sig == SIGTRAP ? STOP_HELD : STOP_GROUP, sig };
	if (event)
		return (struct stop){ tid, STOP_PTRACE_EVENT, event };
	if (sig == (SIGTRAP | 0x80)) /* PTRACE_O_TRACESYSGOOD */
		return (struct stop){ tid, STOP_SYSCALL, 0 };
	if (sig == SIGTRAP && si_code == trap_code)
		return (struct stop){ tid, STOP_TRAP, sig };
	if (sig == SIGTRAP && si_code == TRAP_TRACE)
		return (struct stop){ tid, STOP_STEPPED, sig };
	return (struct stop){ tid, STOP_SIGNAL, sig };
}
