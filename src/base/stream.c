/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/stream.h"

#include <errno.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Find out why output was lost a while ago: stdio does not keep the errno, so try to write one more
 * byte, as the output is incomplete anyway. If that byte fits, mostly the disk is full for all
 * else. */
static int why_lost(FILE *out)
{
	struct statvfs disk;
	int fd = fileno(out);

	if (fd < 0) /* into memory, see base/memstream.h */
		return -ENOMEM;
	if (write(fd, "\n", 1) < 0)
		return -errno;
	return !fstatvfs(fd, &disk) && disk.f_blocks && !disk.f_bavail ? -ENOSPC : -EIO;
}

int stream_error(FILE *out)
{
	return ferror(out) ? why_lost(out) : 0;
}

int stream_flush(FILE *out)
{
	errno = 0;
	if (fflush(out))
		return errno ? -errno : -EIO;
	return stream_error(out);
}

int stream_close(FILE *out)
{
	int why = stream_error(out); /* what was lost then is not tried again */

	errno = 0;
	if (out == stdout ? fflush(out) : fclose(out))
		return errno ? -errno : -EIO;
	return why;
}
