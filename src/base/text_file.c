/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* A regular file, or a pipe without a name, as a shell makes for <(COMMAND) and for standard input:
 * that has somebody at its other end. Whatever else may never have, and would be waited for. */
static int check_kind(int fd)
{
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st) || (S_ISFIFO(st.st_mode) && fstatfs(fd, &fs)))
		return -errno;
	if (S_ISREG(st.st_mode) || (S_ISFIFO(st.st_mode) && fs.f_type == PIPEFS_MAGIC))
		return 0;
	return S_ISDIR(st.st_mode) ? -EISDIR : -ENOTSUP;
}

/* Open for reading, and for waiting as one reads. Returns -errno. */
static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -errno;
	int err = check_kind(fd);
	if (!err && fcntl(fd, F_SETFL, 0))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

char *text_file_read(const char *path, size_t most, ssize_t *len)
{
	int fd = open_file(path);
	char *text = fd >= 0 ? malloc(most + 1) : NULL;
	ssize_t n = 1;

	*len = fd < 0 ? fd : text ? 0 : -ENOMEM;
	while (text && n > 0 && *len >= 0 && (size_t)*len <= most) {
		n = read(fd, text + *len, most + 1 - (size_t)*len);
		*len = n < 0 ? -errno : *len + n;
	}
	if (*len > 0 && (size_t)*len > most)
		*len = -EFBIG;
	if (fd >= 0)
		close(fd);
	return text;
}

const char *text_file_why(int err)
{
	return err == -ENOTSUP ? "it is neither a file nor a pipe of the shell's" : strerror(-err);
}
