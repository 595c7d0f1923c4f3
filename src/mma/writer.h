/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_WRITER_H
#define MPROF_MMA_WRITER_H

#include "mma/entry.h"

#include <stdbool.h>

/*
 * Writes a log to a file through a large buffer. If the name ends in ".zst" each buffer becomes a
 * zstd frame of its own, so that a log that was cut off can be read up to that point. A log without
 * entries is an empty frame.
 */
struct mma_writer;

/* Takes ownership of @fd, except if it returns NULL: out of memory. */
struct mma_writer *mma_writer_new(int fd, bool humanized, bool compress);

/* Add an entry. Errors are returned by mma_writer_flush() or mma_writer_close(). */
void mma_writer_add(struct mma_writer *w, const struct mma_entry *e);

/* Write the buffer. 0, or -errno of the first write that failed. */
int mma_writer_flush(struct mma_writer *w);

/* Flush, close the file and free the writer. Returns as mma_writer_flush(); NULL is fine. */
int mma_writer_close(struct mma_writer *w);

#endif
