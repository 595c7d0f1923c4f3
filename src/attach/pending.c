/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/pending.h"

#include "arch/arch.h"
#include "attach/sigmask.h"

#include <signal.h>
#include <sys/ptrace.h>

bool pending_trap(const struct kernel *k, pid_t tid)
{
	struct __ptrace_peeksiginfo_args from = { .nr = 1 };
	sigmask blocked;
	siginfo_t si;

	if (kernel_request(k, PTRACE_GETSIGMASK, tid, (void *)sizeof blocked, &blocked) ||
	    blocked & 1ull << (SIGTRAP - 1))
		return false;
	for (; kernel_request(k, PTRACE_PEEKSIGINFO, tid, &from, &si) == 1; from.off++)
		if (si.si_signo == SIGTRAP && si.si_code == arch_trap_code)
			return true;
	return false;
}
