/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/preadall.h"

#include <errno.h>
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
