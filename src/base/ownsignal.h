/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_OWNSIGNAL_H
#define MPROF_BASE_OWNSIGNAL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Do we ignore @sig? Whoever starts us may have said so, as nohup(1) does of SIGHUP. */
static inline bool signal_is_ignored(int sig)
{
	struct sigaction now;

	return !sigaction(sig, NULL, &now) && now.sa_handler == SIG_IGN;
}

#endif
