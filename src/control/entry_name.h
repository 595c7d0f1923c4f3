/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONTROL_ENTRY_NAME_H
#define MPROF_CONTROL_ENTRY_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * What a session has in a directory of control sockets: PID.sock, and PID.ended when it is over.
 * Two pid namespaces may share the directory, and have the same numbers for different processes.
 * So in another one than the kernel's first the names tell which it is: PID@NAMESPACE.sock.
 */
void entry_name(char *path, size_t size, const char *dir, pid_t pid, const char *what);

/* Is it the name of a @what in our pid namespace? Then of process *@pid. */
bool entry_name_is(const char *name, const char *what, pid_t *pid);

#endif
