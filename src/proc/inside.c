/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/inside.h"

#include "base/regular.h"
#include "proc/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library of Debian 12 has no function for it. */
static int find_by_kernel(int root, const char *path, int flags)
{
	const struct open_how how = {
		.flags = (unsigned)(O_PATH | O_CLOEXEC | flags),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, root, path, &how, sizeof how);

	return fd < 0 ? -errno : (int)fd;
}

/* Open the directory or file @name in @dir, and close @dir. A descriptor or -errno. */
static int step(int dir, const char *name)
{
	int fd = !strcmp(name, "..") ? -1 : openat(dir, name, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	int err = fd >= 0 ? fd : !strcmp(name, "..") ? -ELOOP : -errno;

	close(dir);
	return err;
}

/* A symbolic link is not followed but opened itself; a path that continues below it fails with
 * -ENOTDIR. */
static int find_by_hand(int root, const char *path)
{
	char name[256];
	int at = fcntl(root, F_DUPFD_CLOEXEC, 0);

	if (at < 0)
		return -errno;
	for (path += strspn(path, "/"); *path && at >= 0; path += strspn(path, "/")) {
		size_t n = strcspn(path, "/");

		if (n >= sizeof name) {
			close(at);
			return -ENAMETOOLONG;
		}
		memcpy(name, path, n);
		name[n] = '\0';
		path += n;
		at = step(at, name);
	}
	return at;
}

/* Old container sandboxes fail with EPERM for system calls that they do not know. */
static bool is_missing(int err)
{
	return err == -ENOSYS || err == -EPERM;
}

int proc_open_inside(pid_t pid, const char *path, int flags)
{
	int root = proc_open(pid, "root", O_PATH | O_DIRECTORY);

	if (root < 0)
		return root;
	int found = find_by_kernel(root, path, flags);
	if (is_missing(found))
		found = find_by_hand(root, path);
	close(root);
	if (found < 0)
		return found;
	int fd = regular_reopen(found);

	close(found);
	return fd;
}

bool proc_follows_inside(void)
{
	int fd = find_by_kernel(AT_FDCWD, "/", 0);

	if (fd >= 0)
		close(fd);
	return !is_missing(fd);
}
