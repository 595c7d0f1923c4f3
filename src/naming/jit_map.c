/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/jit_map.h"

#include "base/regular.h"
#include "proc/file.h"
#include "proc/inside.h"
#include "proc/status.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Only a file of the process's user: anybody can write to /tmp, and its names are shown. */
static int if_own(int fd, uid_t uid)
{
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || st.st_uid != uid)) {
		close(fd);
		fd = -1;
	}
	return fd < 0 ? -1 : fd;
}

/* As the process sees it: below its own root, with its pid in its own namespace. */
static int open_inside(pid_t pid, uid_t uid)
{
	char path[48];
	pid_t inner = proc_status(pid).inner;

	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)(inner ? inner : pid));
	return if_own(proc_open_inside(pid, path, O_NOFOLLOW), uid);
}

int jit_map_open(pid_t pid)
{
	char path[PROC_PATH];
	struct stat st;
	uid_t uid = geteuid();
	int fd = -1;

	if (stat(proc_path(path, pid, ""), &st) == 0) {
		uid = st.st_uid;
		fd = open_inside(pid, uid);
	}
	if (fd < 0) {
		snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)pid);
		fd = if_own(regular_open(AT_FDCWD, path, O_NOFOLLOW), uid);
	}
	return fd;
}
