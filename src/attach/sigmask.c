/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/sigmask.h"

#include "attach/kernel.h"

#include <signal.h>
#include <sys/ptrace.h>

#define BIT(sig) (1ull << ((sig) - 1))

sigmask sigmask_mend(sigmask now)
{
	/* All standard signals that sigfillset(3) and pthread_sigmask(3) let a program block, but
	 * SIGTRAP. */
	const sigmask all = (BIT(32) - 1) & ~(BIT(SIGKILL) | BIT(SIGSTOP) | BIT(SIGTRAP));

	return (now & all) == all ? now | BIT(SIGTRAP) : now;
}

bool sigmask_is_due(struct mask_watch *m, bool entry)
{
	enum { EACH_OF = 256, THEN_EVERY = 8 };

	if (m->blocks_all || !entry)
		return m->blocks_all;
	uint32_t before = m->entries++;

	return before < EACH_OF || before % THEN_EVERY == 0;
}

/* When the kernel forces a blocked SIGTRAP it also resets its handler: if there is one, SIGTRAP was
 * not blocked. */
static bool handles_traps(const struct kernel *kernel, pid_t tid)
{
	struct proc_status s = kernel_status(kernel, tid);

	return proc_status_catches(&s, SIGTRAP);
}

void sigmask_restore(struct mask_watch *m, const struct kernel *kernel, pid_t tid)
{
	sigmask now;

	if (kernel_request(kernel, PTRACE_GETSIGMASK, tid, (void *)sizeof now, &now))
		return;
	sigmask right = sigmask_mend(now);
	if (right != now && handles_traps(kernel, tid))
		return;
	if (right != now)
		kernel_request(kernel, PTRACE_SETSIGMASK, tid, (void *)sizeof right, &right);
	m->blocks_all |= (right & BIT(SIGTRAP)) != 0;
}
