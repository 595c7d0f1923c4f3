/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/sigchld.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

static bool was_ignored;

void sigchld_want(void)
{
	struct sigaction now;

	was_ignored = !sigaction(SIGCHLD, NULL, &now) && now.sa_handler == SIG_IGN;
	if (was_ignored)
		signal(SIGCHLD, SIG_DFL);
}

void sigchld_as_before(void)
{
	if (was_ignored)
		signal(SIGCHLD, SIG_IGN);
}
