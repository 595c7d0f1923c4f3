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

/* A nameless, empty file in memory: nothing is lost by opening it, whoever made it. */
static bool may_be_new(int path_fd)
{
	struct statfs fs;
	struct stat st;

	return !fstat(path_fd, &st) && S_ISREG(st.st_mode) && !st.st_nlink && !st.st_size &&
	       !fstatfs(path_fd, &fs) && fs.f_type == TMPFS_MAGIC;
}

/* Files on tmpfs that have had a name cannot be sealed (F_SEAL_SEAL); a new memfd has no seal. */
static bool is_unsealed(int fd)
{
	const int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 &&
	       !(seals & (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE));
}

/* If the program could truncate the file, reading it would kill us by SIGBUS. So the size is
 * checked again behind the seal: it may have been truncated just before. */
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

/* Opens the very file that has been checked, whatever the program's descriptor is by now. */
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
