/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text_file.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Accept a regular file, or a pipe without a name, as a shell makes for <(COMMAND) and for standard
 * input: that has a writer. Anything else may never have one, and we would wait for it. */
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

int text_file_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -errno;
	int err = check_kind(fd);
	/* Reads may block. */
	if (!err && fcntl(fd, F_SETFL, 0))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* Returns the number of bytes, or -errno. */
static ssize_t read_text(int fd, char **text, size_t most)
{
	size_t room = 0, len = 0;
	ssize_t n = 1;

	while (n > 0 && len <= most) {
		if (ARRAY_RESERVE(text, &room, len))
			return -ENOMEM;
		n = read(fd, *text + len, room - len);
		if (n < 0)
			return -errno;
		len += (size_t)n;
	}
	return len > most ? -EFBIG : (ssize_t)len;
}

char *text_file_read(const char *path, size_t most, ssize_t *len)
{
	int fd = text_file_open(path);
	char *text = NULL;

	*len = fd < 0 ? fd : read_text(fd, &text, most);
	if (fd >= 0)
		close(fd);
	return text;
}

const char *text_file_why(int err)
{
	return err == -ENOTSUP ? "it is neither a file nor a pipe of the shell's" : strerror(-err);
}
