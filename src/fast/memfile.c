/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/memfile.h"

#include "proc/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Nameless and empty, in the kernel's memory: nothing is lost by opening it, whosever it is. */
static bool may_be_new(int path_fd)
{
	struct statfs fs;
	struct stat st;

	return !fstat(path_fd, &st) && S_ISREG(st.st_mode) && !st.st_nlink && !st.st_size &&
	       !fstatfs(path_fd, &fs) && fs.f_type == TMPFS_MAGIC;
}

/* Other files in such memory, which have had a name, are sealed against seals from the start. */
static bool is_unsealed(int fd)
{
	const int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 &&
	       !(seals & (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE));
}

/* Cut short by the program, reading it would kill us. It may have been, just before the seal. */
static int seal(int fd, size_t size)
{
	struct stat st;

	if (!is_unsealed(fd))
		return -ESTALE;
	if (ftruncate(fd, (off_t)size) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) || fstat(fd, &st))
		return -errno;
	return st.st_size == (off_t)size ? 0 : -ESTALE;
}

/* The very file that has been looked at, whatever the program's descriptor is by now. */
static int reopen(int path_fd)
{
	char name[32];

	if (!may_be_new(path_fd))
		return -ESTALE;
	snprintf(name, sizeof name, "fd/%d", path_fd);
	return proc_open(getpid(), name, O_RDWR);
}

int memfile_open(pid_t pid, int number, size_t size)
{
	char name[32];

	snprintf(name, sizeof name, "fd/%d", number);
	int found = proc_open(pid, name, O_PATH);
	if (found < 0)
		return found;
	int fd = reopen(found);
	close(found);
	int err = fd < 0 ? fd : seal(fd, size);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}
