/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/preadall.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t pread_all(int fd, void *to, size_t n, off_t at)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(fd, (char *)to + done, n - done, at + (off_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

void *pread_whole(int fd, size_t *size)
{
	struct stat st;
	char *bytes = fstat(fd, &st) ? NULL : malloc((size_t)st.st_size + 1);
	ssize_t n = bytes ? pread_all(fd, bytes, (size_t)st.st_size, 0) : -1;

	if (bytes && n == st.st_size) {
		bytes[n] = '\0';
		*size = (size_t)n;
		return bytes;
	}
	/* The file has become shorter meanwhile. */
	if (n >= 0)
		errno = EIO;
	free(bytes);
	return NULL;
}
