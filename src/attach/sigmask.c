/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/sigmask.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>

#define BIT(sig) (1ull << ((sig) - 1))

sigmask sigmask_of(pid_t tid)
{
	char path[64], line[256];
	sigmask mask = 0;

	snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
	FILE *f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "SigBlk: %" SCNx64, &mask) == 1)
			break;
	fclose(f);
	return mask;
}

sigmask sigmask_mend(sigmask now, sigmask known)
{
	/* What sigfillset(3) and pthread_sigmask(3) let a program block of the signals of old. */
	const sigmask all = (BIT(32) - 1) & ~(BIT(SIGKILL) | BIT(SIGSTOP) | BIT(SIGTRAP));

	if ((now | BIT(SIGTRAP)) == known || (now & all) == all)
		return now | BIT(SIGTRAP);
	return now;
}

void sigmask_restore(pid_t tid, sigmask known)
{
	sigmask now;

	if (ptrace(PTRACE_GETSIGMASK, tid, (void *)sizeof now, &now))
		return;
	sigmask right = sigmask_mend(now, known);
	if (right != now)
		ptrace(PTRACE_SETSIGMASK, tid, (void *)sizeof right, &right);
}
