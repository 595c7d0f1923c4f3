/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/stream.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/statvfs.h>

/* Why something was lost a while ago: stdio does not keep it, and mostly it is a full disk. */
static int why_lost(FILE *out)
{
	struct statvfs disk;

	return !fstatvfs(fileno(out), &disk) && disk.f_blocks && !disk.f_bavail ? -ENOSPC : -EIO;
}

int stream_close(FILE *out)
{
	bool failed = ferror(out); /* what was lost then is not tried again */
	int why = failed ? why_lost(out) : 0;

	errno = 0;
	if (out == stdout ? fflush(out) : fclose(out))
		return errno ? -errno : -EIO;
	return why;
}
