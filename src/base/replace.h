/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_REPLACE_H
#define MPROF_BASE_REPLACE_H

#include "base/error.h"

#include <stdio.h>

/**
 * Write a file so that it is there as a whole or not at all: into a temporary file in the same
 * directory, then renamed over @path, so that a full disk or a crash leaves what was there before.
 * Where the file system can do that, the temporary file has no name until it is complete, so that
 * none is left if we are killed. A symbolic link is replaced itself, never what it points to. If
 * @path is /dev/null, nothing is written. The mode of a file that is replaced is kept.
 * @prefix  the temporary file's name begins with it; at most 40 bytes
 * @fill    writes all of it to @fd, an empty file, and syncs it; 0 or -errno
 * Returns 0 or -errno with a sentence in @e. The temporary file is gone afterwards.
 */
int replace_file(const char *path, const char *prefix, int (*fill)(int fd, void *ctx), void *ctx,
		 struct error *e);

/* May replace_file() replace what is at @path now? 0, also if there is nothing, or -errno with a
 * sentence in @e. */
int replace_check(const char *path, struct error *e);

/* As replace_file(), but @print writes to a stream, which it need not close. */
int replace_stream(const char *path, const char *prefix, int (*print)(FILE *out, void *ctx),
		   void *ctx, struct error *e);

#endif
