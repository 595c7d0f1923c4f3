/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/icount.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Threads inherit the counter when they are made, before they run. With inherit alone the processes
 * that it forks would count, too; and a process that is not to be counted must not. */
static int open_one(pid_t tid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.inherit = 1,
		.inherit_thread = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int icount_possible(struct error *e)
{
	int fd = open_one(0);

	if (fd >= 0)
		return close(fd);
	if (fd == -EACCES || fd == -EPERM)
		return error_set(e, fd, "instructions cannot be counted: not permitted "
				 "(see /proc/sys/kernel/perf_event_paranoid)");
	if (fd == -ENOENT || fd == -ENODEV || fd == -EOPNOTSUPP)
		return error_set(e, fd, "instructions cannot be counted: this machine has no counter for "
				 "them, as many virtual machines have none");
	if (fd == -EINVAL || fd == -ENOSYS)
		return error_set(e, fd, "instructions cannot be counted: this kernel cannot count those of "
				 "all threads (Linux 5.13 can)");
	return error_set(e, fd, "instructions cannot be counted: %s", strerror(-fd));
}

static size_t count_threads(DIR *d)
{
	size_t n = 0;

	while (readdir(d))
		n++;
	rewinddir(d);
	return n;
}

int icount_open(struct icount *c, pid_t pid, uint64_t before)
{
	char path[64];
	int err = 0;

	*c = (struct icount){ .before = before };
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);
	if (!d)
		return -errno;
	c->fds = calloc(count_threads(d), sizeof *c->fds);
	if (!c->fds)
		err = -ENOMEM;
	for (struct dirent *e; !err && (e = readdir(d));) {
		pid_t tid = (pid_t)atoi(e->d_name);
		int fd = tid > 0 ? open_one(tid) : -ESRCH;

		if (fd >= 0)
			c->fds[c->n++] = fd;
		else if (fd != -ESRCH)
			err = fd;
	}
	closedir(d);
	return err;
}

void icount_close(struct icount *c)
{
	for (size_t i = 0; i < c->n; i++)
		close(c->fds[i]);
	free(c->fds);
	*c = (struct icount){ 0 };
}

uint64_t icount_read(const struct icount *c)
{
	uint64_t sum = c->before, one;

	for (size_t i = 0; i < c->n; i++)
		if (read(c->fds[i], &one, sizeof one) == sizeof one)
			sum += one;
	return sum;
}
