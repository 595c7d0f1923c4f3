/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/replace.h"

#include "base/stream.h"
#include "base/unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int cannot(struct error *e, const char *path, int err)
{
	if (err == -ENOSPC)
		return error_set(e, err, "cannot write %s: disk full", path);
	return error_set(e, err, "cannot write %s: %s", path, strerror(-err));
}

/* A link like /dev/stdout stands for a descriptor: it is not to be replaced by a file. */
static bool is_magic_link(const char *path)
{
	char to[sizeof "/proc/"];
	ssize_t n = readlink(path, to, sizeof to - 1);

	return n == sizeof to - 1 && !memcmp(to, "/proc/", (size_t)n);
}

/**
 * Check whether a file of ours may replace what is at @path now. 0 or -errno with a sentence in @e.
 * @discard  set to true if all output is to be dropped
 * A link to a device counts as the device: the link is not to be replaced.
 */
static int check_target(const char *path, bool *discard, struct error *e)
{
	struct stat st, link;

	*discard = false;
	if (lstat(path, &link))
		return errno == ENOENT && *path ? 0 : cannot(e, path, -errno);
	bool is_link = S_ISLNK(link.st_mode);
	if (stat(path, &st))
		return is_link ? 0 : cannot(e, path, -errno);
	if (S_ISREG(st.st_mode) && is_link && is_magic_link(path))
		return error_set(e, -EINVAL, "cannot write %s: it stands for an open file; "
				 "name an ordinary file", path);
	if (S_ISREG(st.st_mode) || (S_ISDIR(st.st_mode) && is_link))
		return 0;
	if (S_ISDIR(st.st_mode))
		return cannot(e, path, -EISDIR);
	if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3)) {	/* /dev/null */
		*discard = true;
		return 0;
	}
	return error_set(e, -EINVAL, "cannot write %s: it is not an ordinary file", path);
}

int replace_check(const char *path, struct error *e)
{
	bool discard;

	return check_target(path, &discard, e);
}

/* Where the file will be. Its directory is kept open, so renaming that meanwhile does no harm. */
struct place {
	const char *path;
	int dir;		/* O_PATH */
	const char *name;	/* in dir */
	char temp[64];		/* the file's name in dir until it is in place; "": it has none */
};

static int place_open(struct place *p, const char *path)
{
	const char *slash = strrchr(path, '/');

	p->path = path;
	p->name = slash ? slash + 1 : path;
	if (!*p->name)
		return -EISDIR;
	if (strlen(p->name) > NAME_MAX)
		return -ENAMETOOLONG;	/* now, not after all the work */
	char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	if (!parent)
		return -ENOMEM;
	p->dir = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int err = p->dir < 0 ? -errno : 0;
	free(parent);
	return err;
}

static void way_to(int fd, char way[32])
{
	snprintf(way, 32, "/proc/self/fd/%d", fd);
}

/* Open a file without a name, which does not survive if we are killed; it is linked to a name
 * later. -1: the file system has no such files, or there is no way to link them. */
static int nameless_open(const struct place *p)
{
	int fd = openat(p->dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	char way[32];
	struct stat st;

	if (fd < 0)
		return -1;
	way_to(fd, way);
	if (!stat(way, &st))
		return fd;
	close(fd);
	return -1;
}

static int file_named(struct place *p)
{
	return openat(p->dir, p->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* Give a file without a name one in the directory that nobody can foresee, or (@fd -1) create a
 * new, empty file. Returns its descriptor or -errno. */
static int temp_make(struct place *p, const char *prefix, int fd)
{
	char way[32];

	way_to(fd, way);
	for (int tries = 0; tries < 16; tries++) {
		uint64_t random;

		if (getrandom(&random, sizeof random, 0) != sizeof random)
			return -EIO;
		snprintf(p->temp, sizeof p->temp, "%s%016" PRIx64, prefix, random);
		unfinished_begin(p->path, p->temp);
		int made = fd < 0 ? file_named(p)
				  : linkat(AT_FDCWD, way, p->dir, p->temp, AT_SYMLINK_FOLLOW);
		if (made >= 0)
			return fd < 0 ? made : fd;
		if (errno != EEXIST)
			break;
	}
	int err = -errno;

	unfinished_end();
	*p->temp = '\0';
	return err;
}

/*
 * The rename itself is to survive a crash, too. Not every file system can do this, and the file is
 * in place already, so errors are not reported.
 */
static void sync_directory(const struct place *p)
{
	int fd = openat(p->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/*
 * If a file was made private, so is its next version. Our own file keeps its mode; a file of
 * another user gets a new owner, and no more permission bits than it had. Some file systems have no
 * modes: errors do not matter.
 */
static void keep_mode(const struct place *p, int fd)
{
	struct stat was, is;

	if (fstatat(p->dir, p->name, &was, AT_SYMLINK_NOFOLLOW) || !S_ISREG(was.st_mode) ||
	    fstat(fd, &is))
		return;
	mode_t mode = was.st_mode & 0777;

	fchmod(fd, was.st_uid == geteuid() ? mode : mode & is.st_mode);
}

static int write_in_place(struct place *p, const char *path, const char *prefix,
			  int (*fill)(int fd, void *ctx), void *ctx, struct error *e)
{
	int fd = nameless_open(p);

	if (fd < 0)
		fd = temp_make(p, prefix, -1);
	if (fd == -EACCES || fd == -EROFS)	/* @path itself may well be writable */
		return error_set(e, fd, "cannot write %s: cannot create a file in its directory: "
					"%s",
				 path, strerror(-fd));
	if (fd < 0)
		return cannot(e, path, fd);
	keep_mode(p, fd);
	int err = fill(fd, ctx);
	if (!err && !*p->temp) {
		int named = temp_make(p, prefix, fd);

		err = named < 0 ? named : 0;
	}
	if (close(fd) && !err)	/* network file systems may report an error only now */
		err = -errno;
	if (!err && renameat(p->dir, p->temp, p->dir, p->name))
		err = -errno;
	if (err && *p->temp)
		unlinkat(p->dir, p->temp, 0);
	unfinished_end();
	if (err)
		return cannot(e, path, err);
	sync_directory(p);
	return 0;
}

int replace_file(const char *path, const char *prefix, int (*fill)(int fd, void *ctx), void *ctx,
		 struct error *e)
{
	bool discard;
	int err = check_target(path, &discard, e);

	if (err || discard)
		return err;
	struct place place = { .dir = -1 };
	err = place_open(&place, path);
	if (err)
		return cannot(e, path, err);
	err = write_in_place(&place, path, prefix, fill, ctx, e);
	close(place.dir);
	return err;
}

struct printing {
	int (*print)(FILE *out, void *ctx);
	void *ctx;
};

static int print_to(int fd, void *ctx)
{
	const struct printing *p = ctx;
	int own = dup(fd);
	FILE *out = own < 0 ? NULL : fdopen(own, "w");
	int err = out ? p->print(out, p->ctx) : -errno;

	if (!out && own >= 0)
		close(own);
	int lost = out ? stream_close(out) : 0;
	/* Not every file system can sync, and then there is nothing that could be lost. */
	if (!err && !lost && fsync(fd) && errno != EINVAL)
		err = -errno;
	return err ? err : lost;
}

int replace_stream(const char *path, const char *prefix, int (*print)(FILE *out, void *ctx),
		   void *ctx, struct error *e)
{
	struct printing p = {print, ctx};

	return replace_file(path, prefix, print_to, &p, e);
}
