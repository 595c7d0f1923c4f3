/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_ENDBY_H
#define MPROF_BASE_ENDBY_H

#include <signal.h>
#include <stddef.h>

/* In a forked child: this signal ends it, unless it is ignored, as SIGHUP is under nohup. */
static inline void endby_signal(int sig)
{
	struct sigaction now;

	if (!sigaction(sig, NULL, &now) && now.sa_handler != SIG_IGN)
		signal(sig, SIG_DFL);
}

#endif
