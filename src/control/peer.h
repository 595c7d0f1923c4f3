/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONTROL_PEER_H
#define MPROF_CONTROL_PEER_H

#include <stdbool.h>
#include <sys/types.h>

/* True if the other end of the connection belonged to our user or root when it was made
 * (SO_PEERCRED of unix(7)). *pid: its process, 0 if it has no pid in our namespace; may be NULL. */
bool peer_is_ours(int fd, pid_t *pid);

#endif
