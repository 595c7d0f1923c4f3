/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONTROL_ENTRY_NAME_H
#define MPROF_CONTROL_ENTRY_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Names of a session's files in a directory of control sockets: PID.sock, and PID.ended when it is
 * over. Two pid namespaces may share the directory, and use the same numbers for different
 * processes. So in any pid namespace but the kernel's first the names tell which one it is:
 * PID@NAMESPACE.sock.
 */
void entry_name(char *path, size_t size, const char *dir, pid_t pid, const char *what);

/* True if @name is that of a @what ("sock", "ended") in our pid namespace; *pid is set then. */
bool entry_name_is(const char *name, const char *what, pid_t *pid);

#endif
