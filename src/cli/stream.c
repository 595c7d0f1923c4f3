/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream.h"

#include "cli/cli.h"

#include <errno.h>
#include <string.h>

FILE *stream_open(const struct options *o)
{
	FILE *out = o->output ? fopen(o->output, "we") : stdout;

	if (!out)
		stream_failed(o, -errno);
	return out;
}

void stream_failed(const struct options *o, int err)
{
	say("cannot write %s: %s", o->output ? o->output : "the report", strerror(-err));
}
