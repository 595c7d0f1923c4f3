/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/jit_map.h"

#include "proc/file.h"
#include "proc/status.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Only the user's own file: /tmp is everybody's, and names are shown to whoever runs mprof. */
static int open_own(const char *path, uid_t uid)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != uid)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* As the process sees it: its own folder, and the number that it calls itself. */
static int open_inside(pid_t pid, uid_t uid)
{
	char path[PROC_PATH], name[48];
	pid_t inner = proc_status(pid).inner;

	snprintf(name, sizeof name, "root/tmp/perf-%d.map", (int)(inner ? inner : pid));
	return open_own(proc_path(path, pid, name), uid);
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
		fd = open_own(path, uid);
	}
	return fd;
}
