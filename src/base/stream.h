/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_STREAM_H
#define MPROF_BASE_STREAM_H

#include <stdio.h>

/* 0, or -errno: why output was lost. To find that out a further byte is written, if any was
 * lost. */
int stream_error(FILE *out);

/* Write what is still buffered. 0, or -errno: not all that was printed could be written. */
int stream_flush(FILE *out);

/* All has been printed: close a stream; standard output is only flushed.
 * 0, or -errno: not all of it could be written. */
int stream_close(FILE *out);

#endif
