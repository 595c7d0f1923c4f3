/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream.h"

#include "base/overwrite.h"
#include "base/stream.h"
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

FILE *stream_open(const struct options *o)
{
	int fd = o->output ? overwrite_open(o->output, false, 0) : -1;
	FILE *out = !o->output ? stdout : fd >= 0 ? fdopen(fd, "w") : NULL;

	if (!out)
		stream_failed(o, fd < 0 ? fd : -errno);
	return out;
}

void stream_failed(const struct options *o, int err)
{
	say("cannot write %s: %s", o->output ? o->output : "the report", overwrite_why(err));
}

int stream_end_stdout(int status)
{
	int err = stream_close(stdout);

	if (!err)
		return status;
	say("cannot write to standard output: %s", overwrite_why(err));
	return STATUS_FAILED;
}
