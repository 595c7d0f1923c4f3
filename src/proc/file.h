/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_FILE_H
#define MPROF_PROC_FILE_H

#include <stddef.h>
#include <sys/types.h>

/*
 * The files of /proc/PID, proc(5), by their names there: "stat", "exe", "task/TID/syscall". @pid: a
 * process or any of its threads, which /proc has in the same way. Names come from us and are short.
 */

enum { PROC_PATH = 80 };

/* Write the path of such a file to @path. Returns @path. */
const char *proc_path(char path[PROC_PATH], pid_t pid, const char *name);

/* Open such a file with @flags of open(2) and O_CLOEXEC. A descriptor or -errno. */
int proc_open(pid_t pid, const char *name, int flags);

/* Does a link there lead to another file or namespace than the same link of ours? 1; 0: to the same
 * one, or the kernel has no such link; -errno: it cannot be read. */
int proc_leads_elsewhere(pid_t pid, const char *name);

/* Read as much of an open file as fits, from its start, and add a NUL. Bytes, or -errno. */
ssize_t proc_pread(int fd, char *text, size_t size);

/* Write @text to such a file, in one write(2). 0 or -errno. */
int proc_write(pid_t pid, const char *name, const char *text);

/* The number in the file at any @path; @otherwise: it has none, or does not exist. */
int proc_number(const char *path, int otherwise);

/**
 * Read all of a file, and add a NUL.
 * @len  its length, for files that contain NULs; may be NULL
 * Returns text for the caller to free(), or NULL with errno set: the process has gone, or may not
 * be read.
 */
char *proc_read(pid_t pid, const char *name, size_t *len);

#endif
