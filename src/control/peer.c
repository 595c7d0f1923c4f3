/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/peer.h"

#include <sys/socket.h>
#include <unistd.h>

bool peer_is_ours(int fd, pid_t *pid)
{
	struct ucred u;
	socklen_t len = sizeof u;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &u, &len))
		return false;
	if (pid)
		*pid = u.pid;
	return u.uid == geteuid() || u.uid == 0;
}
