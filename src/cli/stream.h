/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_STREAM_H
#define MPROF_CLI_STREAM_H

#include "base/stream.h"
#include "cli/options.h"

#include <stdio.h>

/* Where a command prints its output: to the file of -o, or standard output. */

/* NULL: the file cannot be written, and a sentence has been printed. */
FILE *stream_open(const struct options *o);

/* All has been printed to standard output: say if it could not be written. Returns @status, or
 * STATUS_FAILED. */
int stream_end_stdout(int status);

/* Say that writing has failed with @err, -errno. */
void stream_failed(const struct options *o, int err);

#endif
