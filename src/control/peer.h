/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONTROL_PEER_H
#define MPROF_CONTROL_PEER_H

#include <stdbool.h>
#include <sys/types.h>

/* Who was at the other end of a connection when it was made, SO_PEERCRED of unix(7): one of our
 * user's, or root? @pid: the process, 0 if it has no number here; may be NULL. */
bool peer_is_ours(int fd, pid_t *pid);

#endif
