/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/stream.h"

#include <errno.h>
#include <stdbool.h>

int stream_close(FILE *out)
{
	bool failed = ferror(out); /* what was lost then is not tried again */

	errno = 0;
	if (out == stdout ? fflush(out) : fclose(out))
		return errno ? -errno : -EIO;
	return failed ? -EIO : 0;
}
