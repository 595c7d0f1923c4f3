/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/readall.h"

#include <errno.h>
#include <unistd.h>

int read_all(int fd, void *to, size_t n)
{
	for (char *at = to; n;) {
		ssize_t got = read(fd, at, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EPIPE;
		at += got;
		n -= (size_t)got;
	}
	return 0;
}
