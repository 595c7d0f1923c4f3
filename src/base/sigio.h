/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_SIGIO_H
#define MPROF_BASE_SIGIO_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/*
 * Have SIGIO sent to us when a descriptor gets input: a tracer waits in waitpid(2), or is busy.
 * There is no signal for input that has come before (fcntl(2), O_ASYNC).
 * @flags  other flags of open(2) that the descriptor is to have
 * Returns 0 or -errno.
 */
static inline int sigio_ask(int fd, int flags)
{
	return fcntl(fd, F_SETOWN, getpid()) || fcntl(fd, F_SETFL, flags | O_ASYNC) ? -errno : 0;
}

#endif
