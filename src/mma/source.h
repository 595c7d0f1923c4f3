/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_SOURCE_H
#define MPROF_MMA_SOURCE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The text of a log, from a file or standard input, compressed by zstd or not, which its first
 * bytes tell, not its name.
 */
struct mma_source;

/* Open @path ("-": standard input). NULL, with a sentence in @e. */
struct mma_source *mma_source_open(const char *path, struct error *e);
void mma_source_close(struct mma_source *s);

/* Its name for messages. */
const char *mma_source_name(const struct mma_source *s);

/* True if a log of this name is written compressed. */
bool mma_name_is_compressed(const char *name);

bool mma_source_is_compressed(const struct mma_source *s);

/* True if it is an mprof.data (an SQLite database), and not a log. */
bool mma_source_is_data(const struct mma_source *s);

/**
 * Read on. Returns the number of bytes, at most @size, 0 at the end, or -errno with a sentence in
 * @e. Where a compressed log was cut off is its end; see mma_source_truncated().
 */
ssize_t mma_source_read(struct mma_source *s, char *buf, size_t size, struct error *e);

/* After the end: true if it is compressed and was cut off. */
bool mma_source_truncated(const struct mma_source *s);

/* True if it can be opened and read once more. */
bool mma_source_is_file(const struct mma_source *s);

#endif
