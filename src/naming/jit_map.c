/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/jit_map.h"

#include "base/clock.h"
#include "base/regular.h"
#include "proc/file.h"
#include "proc/inside.h"
#include "proc/stat.h"
#include "proc/status.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The clocks of file systems and of process start times may differ by so much. */
enum { INACCURATE_S = 2 };

/* When the process was started, in seconds since 1970; 0: it has ended. */
static int64_t start_time(pid_t pid)
{
	const uint64_t second = 1000000000;
	const uint64_t ticks = procstat_number(pid, PROCSTAT_STARTTIME);
	const uint64_t booted = clock_wall_ns() - clock_ns(CLOCK_BOOTTIME);

	return ticks ? (int64_t)(booted / second + ticks / (uint64_t)sysconf(_SC_CLK_TCK)) : 0;
}

/* Only a file of the process's user: anybody can write to /tmp, and its names are shown. And only
 * one written since the process was started: pids are reused, and in a container the same program
 * may always have the same one, while /tmp stays. */
static int if_own(int fd, uid_t uid, int64_t started)
{
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || st.st_uid != uid ||
			st.st_mtim.tv_sec + INACCURATE_S < started)) {
		close(fd);
		fd = -1;
	}
	return fd < 0 ? -1 : fd;
}

/* As the process sees it: below its own root, with its pid in its own namespace. */
static int open_inside(pid_t pid, uid_t uid, int64_t started)
{
	char path[48];
	pid_t inner = proc_status(pid).inner;

	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)(inner ? inner : pid));
	return if_own(proc_open_inside(pid, path, O_NOFOLLOW), uid, started);
}

int jit_map_open(pid_t pid)
{
	char path[PROC_PATH];
	struct stat st;
	uid_t uid = geteuid();
	const int64_t started = start_time(pid);
	int fd = -1;

	if (stat(proc_path(path, pid, ""), &st) == 0) {
		uid = st.st_uid;
		fd = open_inside(pid, uid, started);
	}
	if (fd < 0) {
		snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)pid);
		fd = if_own(regular_open(AT_FDCWD, path, O_NOFOLLOW), uid, started);
	}
	return fd;
}
