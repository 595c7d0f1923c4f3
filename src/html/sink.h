/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_SINK_H
#define MPROF_HTML_SINK_H

#include <stdio.h>

/**
 * Open a stream whose bytes go to @out deflated (RFC 1950, which browsers call "deflate") and in
 * base64, in constant memory.
 * Returns the stream, or NULL: out of memory. fclose(3) writes what is left, and fails if there was
 * any error; @out stays open.
 */
FILE *sink_open(FILE *out);

#endif
