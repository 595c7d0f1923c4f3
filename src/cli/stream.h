/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_STREAM_H
#define MPROF_CLI_STREAM_H

#include "base/stream.h"
#include "cli/options.h"

#include <stdio.h>

/* Where a command prints what it was asked for: the file of -o, or standard output. */

/* NULL, and a sentence has been printed: the file cannot be written. */
FILE *stream_open(const struct options *o);

/* All has been printed to standard output: that it could not be written is said. Returns @status,
 * or STATUS_FAILED. */
int stream_end_stdout(int status);

/* Say that writing has failed with @err, -errno. */
void stream_failed(const struct options *o, int err);

#endif
