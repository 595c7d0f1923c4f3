/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/writeall.h"

#include <errno.h>
#include <unistd.h>

int write_all(int fd, const void *bytes, size_t n)
{
	for (const char *at = bytes; n;) {
		ssize_t done = write(fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		/* That nothing was written is no error of write(2), but trying again might never
		 * end. */
		if (done <= 0)
			return done ? -errno : -EIO;
		at += done;
		n -= (size_t)done;
	}
	return 0;
}

int pwrite_all(int fd, const void *bytes, size_t n, off_t at)
{
	for (const char *from = bytes; n;) {
		ssize_t done = pwrite(fd, from, n, at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -ENOSPC;
		from += done;
		at += done;
		n -= (size_t)done;
	}
	return 0;
}
