/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream.h"

#include "cli/cli.h"
#include "cli/unwritten.h"

#include <errno.h>
#include <string.h>

FILE *stream_open(const struct options *o)
{
	FILE *out = o->output ? fopen(o->output, "we") : stdout;

	if (!out)
		stream_failed(o, -errno);
	return out;
}

int stream_close(FILE *out)
{
	bool failed = ferror(out); /* what was lost then is not tried again */

	errno = 0;
	if (out == stdout ? fflush(out) : fclose(out))
		return errno ? -errno : -EIO;
	return failed ? -EIO : 0;
}

void stream_failed(const struct options *o, int err)
{
	unwritten_say("cannot write %s: %s", o->output ? o->output : "the report", strerror(-err));
}
