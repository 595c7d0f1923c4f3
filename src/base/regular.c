/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* O_NONBLOCK: another process may have a lease on the file, which open(2) would wait for. */
enum { READING = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

static int look_at(int fd, struct stat *st)
{
	if (fstat(fd, st))
		return -errno;
	return S_ISREG(st->st_mode) ? 0 : -ENOTSUP;
}

int regular_reopen(int path_fd)
{
	char path[48];
	struct stat st;
	int err = look_at(path_fd, &st);

	if (err)
		return err;
	snprintf(path, sizeof path, "/proc/self/fd/%d", path_fd);
	int fd = open(path, READING);

	return fd < 0 ? -errno : fd;
}

/* Without /proc open it by its name, if that is still the same file's: a report needs no /proc. */
static int open_again(int dir, const char *path, int flags, int path_fd)
{
	struct stat was, st;
	int err = look_at(path_fd, &was);
	int fd = err ? err : openat(dir, path, READING | flags);

	if (fd < 0)
		return err ? err : -errno;
	if (!fstat(fd, &st) && st.st_dev == was.st_dev && st.st_ino == was.st_ino)
		return fd;
	close(fd);
	return -ENOTSUP;
}

int regular_open(int dir, const char *path, int flags)
{
	int found = openat(dir, path, O_PATH | O_CLOEXEC | flags);

	if (found < 0)
		return -errno;
	int fd = regular_reopen(found);

	if (fd == -ENOENT)
		fd = open_again(dir, path, flags, found);
	close(found);
	return fd;
}
