/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/ownsignal.h"
#include "base/sigchld.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

static bool was_ignored;

void sigchld_want(void)
{
	was_ignored = signal_is_ignored(SIGCHLD);
	if (was_ignored)
		signal(SIGCHLD, SIG_DFL);
}

void sigchld_as_before(void)
{
	if (was_ignored)
		signal(SIGCHLD, SIG_IGN);
}
