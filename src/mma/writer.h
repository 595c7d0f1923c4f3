/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_WRITER_H
#define MPROF_MMA_WRITER_H

#include "mma/entry.h"

#include <stdbool.h>

/*
 * Writes a log into a file, through a large buffer. If the file's name ends in ".zst" each buffer
 * becomes a zstd frame of its own, so that a log that was cut off can be read up to there. A log
 * without entries is an empty frame.
 */
struct mma_writer;

/* @fd is the writer's from now on; NULL: out of memory, and @fd is the caller's. */
struct mma_writer *mma_writer_new(int fd, bool humanized, bool compress);

/* Add an entry. What goes wrong is told by mma_writer_flush() or mma_writer_close(). */
void mma_writer_add(struct mma_writer *w, const struct mma_entry *e);

/* Write what is in the buffer. 0, or -errno of the first write that failed. */
int mma_writer_flush(struct mma_writer *w);

/* The same, and the writer and its file are no more; NULL is fine. */
int mma_writer_close(struct mma_writer *w);

#endif
