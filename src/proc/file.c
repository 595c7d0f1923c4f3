/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *proc_path(char path[PROC_PATH], pid_t pid, const char *name)
{
	snprintf(path, PROC_PATH, "/proc/%d/%s", (int)pid, name);
	return path;
}

int proc_open(pid_t pid, const char *name, int flags)
{
	char path[PROC_PATH];
	int fd = open(proc_path(path, pid, name), flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int proc_write(pid_t pid, const char *name, const char *text)
{
	const ssize_t len = (ssize_t)strlen(text);
	int fd = proc_open(pid, name, O_WRONLY);

	if (fd < 0)
		return fd;
	int err = write(fd, text, (size_t)len) == len ? 0 : -errno;

	close(fd);
	return err;
}

int proc_leads_elsewhere(pid_t pid, const char *name)
{
	char path[PROC_PATH];
	struct stat it, us;

	if (stat(proc_path(path, pid, name), &it) || stat(proc_path(path, getpid(), name), &us))
		return errno == ENOENT ? 0 : -errno;
	return it.st_dev != us.st_dev || it.st_ino != us.st_ino;
}

ssize_t proc_pread(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);
	ssize_t err = n < 0 ? -errno : n;

	text[n > 0 ? n : 0] = '\0';
	return err;
}

/* The kernel gives a page or so at a time, and the length is known only at the end. */
static int read_all(int fd, char **text, size_t *len)
{
	enum { AT_ONCE = 4096 };
	ssize_t n;

	for (size_t cap = 0;;) {
		if (cap - *len <= AT_ONCE) {
			cap = cap * 2 + 2 * AT_ONCE;
			char *grown = realloc(*text, cap);
			if (!grown)
				return -ENOMEM;
			*text = grown;
		}
		n = read(fd, *text + *len, cap - *len - 1);
		if (n == 0)
			break;
		if (n < 0 && errno != EINTR)
			return -errno;
		*len += n > 0 ? (size_t)n : 0;
	}
	(*text)[*len] = '\0';
	return 0;
}

char *proc_read(pid_t pid, const char *name, size_t *len)
{
	char *text = NULL;
	size_t n = 0;
	int fd = proc_open(pid, name, O_RDONLY);
	int err = fd < 0 ? fd : read_all(fd, &text, &n);

	if (fd >= 0)
		close(fd);
	if (err) {
		free(text);
		errno = -err;
		return NULL;
	}
	if (len)
		*len = n;
	return text;
}

int proc_number(const char *path, int otherwise)
{
	FILE *f = fopen(path, "re");
	int n;

	if (!f)
		return otherwise;
	if (fscanf(f, "%d", &n) != 1)
		n = otherwise;
	fclose(f);
	return n;
}
