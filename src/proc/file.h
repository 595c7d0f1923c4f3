/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_FILE_H
#define MPROF_PROC_FILE_H

#include <stddef.h>
#include <sys/types.h>

/*
 * The files of /proc/PID, proc(5), by their names there: "stat", "exe", "task/TID/syscall". @pid: a
 * process or any of its threads, which /proc has in the same way. A name is ours and short.
 */

enum { PROC_PATH = 80 };

/* Where it is. Returns @path. */
const char *proc_path(char path[PROC_PATH], pid_t pid, const char *name);

/* Open it with @flags of open(2) and O_CLOEXEC. A descriptor or -errno. */
int proc_open(pid_t pid, const char *name, int flags);

/* Does a link there lead a process elsewhere than us, to another file or namespace? 1, or 0: to the
 * same, or the kernel has no such link; -errno: it may not be asked. */
int proc_leads_elsewhere(pid_t pid, const char *name);

/* As much of an open file as fits, from its start, with a NUL behind it. Bytes, or -errno. */
ssize_t proc_pread(int fd, char *text, size_t size);

/* Write @text to a file there, at once. 0 or -errno. */
int proc_write(pid_t pid, const char *name, const char *text);

/* The number that a file holds, whatever its path; @otherwise: there is none, or no such file. */
int proc_number(const char *path, int otherwise);

/**
 * All of a file, with a NUL behind it.
 * @len  its bytes, for those that hold NULs themselves; may be NULL
 * Returns text for the caller to free(), or NULL with errno set: the process is gone, or may not be
 * asked.
 */
char *proc_read(pid_t pid, const char *name, size_t *len);

#endif
