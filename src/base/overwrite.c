/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/overwrite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Get the status of the directory that a file is in. 0 or -errno. */
static int directory_of(const char *path, struct stat *st)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int err = !dir ? -ENOMEM : stat(dir, st) ? -errno : 0;

	free(dir);
	return err;
}

/* May we write to this file, which is in the directory @dir? 0, -ELOOP or -EEXIST. */
static int judge(const struct stat *st, const struct stat *dir, bool no_link)
{
	bool anybody = dir->st_mode & S_IWOTH, sticky = dir->st_mode & S_ISVTX;
	bool ours = st->st_uid == geteuid();

	if (S_ISLNK(st->st_mode)) {
		bool trusted = (ours || st->st_uid == 0) && (sticky || !anybody);

		return trusted && !no_link ? 0 : -ELOOP;
	}
	if (!anybody || S_ISCHR(st->st_mode))
		return 0;
	return (ours || st->st_uid == dir->st_uid) && st->st_nlink == 1 ? 0 : -EEXIST;
}

/* Open the file that was judged; -EAGAIN: another one has taken its place. */
static int open_judged(const char *path, const struct stat *was, int flags)
{
	bool link = S_ISLNK(was->st_mode);
	int fd = open(path, O_WRONLY | O_CLOEXEC | (link ? 0 : O_NOFOLLOW) | flags);
	struct stat st;

	if (fd < 0)
		return errno == ENOENT && !link ? -EAGAIN : -errno;
	int err = fstat(fd, &st) ? -errno : 0;
	if (!err && !link && (st.st_dev != was->st_dev || st.st_ino != was->st_ino))
		err = -EAGAIN;
	if (!err && S_ISREG(st.st_mode) && ftruncate(fd, 0))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* Create the file that a link leads to and that does not exist yet. */
static int make_behind_link(const char *path, int flags)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);

	return fd < 0 ? -errno : fd;
}

/* Get the status of what is there. 0: it may be written to; -EAGAIN: there is nothing; -errno. */
static int look_at(const char *path, bool no_link, struct stat *st)
{
	struct stat dir;

	if (lstat(path, st))
		return errno == ENOENT ? -EAGAIN : -errno;
	int err = directory_of(path, &dir);

	return err ? err : judge(st, &dir, no_link);
}

int overwrite_check(const char *path, bool no_link)
{
	struct stat st;
	int err = look_at(path, no_link, &st);

	return err == -EAGAIN ? 0 : err;
}

static int open_there(const char *path, bool no_link, int flags)
{
	struct stat st;
	int err = look_at(path, no_link, &st);

	if (err == -EAGAIN)
		return err;
	int fd = err ? err : open_judged(path, &st, flags);
	return fd == -ENOENT && S_ISLNK(st.st_mode) ? make_behind_link(path, flags) : fd;
}

int overwrite_open(const char *path, bool no_link, int flags)
{
	for (int tries = 0; tries < 16; tries++) {
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | flags, 0666);

		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			return -errno;
		fd = open_there(path, no_link, flags);
		if (fd != -EAGAIN)
			return fd;
	}
	return -EAGAIN;
}

int overwrite_open_now(const char *path, bool no_link)
{
	int fd = overwrite_open(path, no_link, O_NONBLOCK);

	if (fd >= 0)
		fcntl(fd, F_SETFL, 0);
	return fd;
}

const char *overwrite_why(int err)
{
	if (err == -ELOOP)
		return "it is a link, and somebody else may have put it there; name the file "
		       "itself";
	if (err == -EEXIST)
		return "anybody may make files in its directory, and it is somebody else's or has "
		       "another name, too; remove it, or name another";
	if (err == -ENXIO)
		return "nobody reads this pipe";
	return strerror(-err);
}
