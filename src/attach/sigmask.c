/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/sigmask.h"

#include <signal.h>
#include <sys/ptrace.h>

#define BIT(sig) (1ull << ((sig) - 1))

sigmask sigmask_mend(sigmask now)
{
	/* What sigfillset(3) and pthread_sigmask(3) let a program block of the signals of old. */
	const sigmask all = (BIT(32) - 1) & ~(BIT(SIGKILL) | BIT(SIGSTOP) | BIT(SIGTRAP));

	return (now & all) == all ? now | BIT(SIGTRAP) : now;
}

bool sigmask_restore(pid_t tid)
{
	sigmask now;

	if (ptrace(PTRACE_GETSIGMASK, tid, (void *)sizeof now, &now))
		return false;
	sigmask right = sigmask_mend(now);
	if (right != now)
		ptrace(PTRACE_SETSIGMASK, tid, (void *)sizeof right, &right);
	return right & BIT(SIGTRAP);
}
