/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_SIGIO_H
#define MPROF_BASE_SIGIO_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/*
 * Have SIGIO tell us when something comes: whoever traces waits in waitpid(2), or is busy. What has
 * come before is not told of (fcntl(2), O_ASYNC).
 * @flags  of open(2), those that the descriptor is to have besides
 * Returns 0 or -errno.
 */
static inline int sigio_ask(int fd, int flags)
{
	return fcntl(fd, F_SETOWN, getpid()) || fcntl(fd, F_SETFL, flags | O_ASYNC) ? -errno : 0;
}

#endif
