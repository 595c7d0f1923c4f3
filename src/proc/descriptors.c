/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/descriptors.h"

#include "proc/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool leads_to(int dir, const char *name, const char *target)
{
	char link[128];
	ssize_t n = readlinkat(dir, name, link, sizeof link);

	return n == (ssize_t)strlen(target) && (size_t)n < sizeof link &&
	       !memcmp(link, target, (size_t)n);
}

int proc_descriptors_each(pid_t pid, const char *target, proc_descriptor_fn *fn, void *ctx)
{
	char path[PROC_PATH];
	DIR *dir = opendir(proc_path(path, pid, "fd"));
	const struct dirent *d;
	int result = 0;

	if (!dir)
		return -errno;
	while (!result && (d = readdir(dir)))
		if (leads_to(dirfd(dir), d->d_name, target))
			result = fn(atoi(d->d_name), ctx);
	closedir(dir);
	return result;
}

static int take_first(int fd, void *ctx)
{
	*(int *)ctx = fd;
	return 1;
}

int proc_find_memfd(pid_t pid, const char *name)
{
	char target[64];
	int found = -1;

	snprintf(target, sizeof target, "/memfd:%s (deleted)", name);
	proc_descriptors_each(pid, target, take_first, &found);
	return found;
}

static bool is_memfd(int dir, const char *name)
{
	static const char begins[] = "/memfd:";
	char link[sizeof begins];

	return readlinkat(dir, name, link, sizeof link) == (ssize_t)sizeof link &&
	       !memcmp(link, begins, sizeof begins - 1);
}

uint64_t proc_memfd_bytes(pid_t pid)
{
	char path[PROC_PATH];
	DIR *dir = opendir(proc_path(path, pid, "fd"));
	const struct dirent *d;
	uint64_t bytes = 0;
	struct stat st;

	while (dir && (d = readdir(dir)))
		if (is_memfd(dirfd(dir), d->d_name) && !fstatat(dirfd(dir), d->d_name, &st, 0))
			bytes += (uint64_t)st.st_blocks * 512;
	if (dir)
		closedir(dir);
	return bytes;
}
