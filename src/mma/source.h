/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_SOURCE_H
#define MPROF_MMA_SOURCE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The text of a log, from a file or standard input, compressed by zstd or not. What it is is told
 * by its first bytes, not by its name, if it has any.
 */
struct mma_source;

/* Open @path, "-": standard input. NULL with a sentence in @e. */
struct mma_source *mma_source_open(const char *path, struct error *e);
void mma_source_close(struct mma_source *s);

/* What messages call it. */
const char *mma_source_name(const struct mma_source *s);

/* Whether a log of this name is compressed when it is written. */
bool mma_name_is_compressed(const char *name);

bool mma_source_is_compressed(const struct mma_source *s);

/* An mprof.data (an SQLite database), and no log. */
bool mma_source_is_data(const struct mma_source *s);

/**
 * Read on. Returns the number of bytes, at most @size, 0 at the end, or -errno with a sentence in
 * @e. The end of a compressed log that has been cut off is an end; see mma_source_truncated().
 */
ssize_t mma_source_read(struct mma_source *s, char *buf, size_t size, struct error *e);

/* After the end: it is compressed, and ends in the middle. */
bool mma_source_truncated(const struct mma_source *s);

/* Whether it can be opened again, to be read once more. */
bool mma_source_is_file(const struct mma_source *s);

#endif
