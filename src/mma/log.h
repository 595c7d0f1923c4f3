/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_LOG_H
#define MPROF_MMA_LOG_H

#include "base/error.h"
#include "mma/entry.h"
#include "mma/source.h"

/* Entries per call of mma_reader_next(). */
#define MMA_BATCH 256

/* A log while it is being read, a batch of entries at a time. Zeroed at first. */
struct mma_reader {
	char *buf;		/* text: from @at to @len it has not been parsed */
	size_t at, whole, len, cap;	/* up to @whole complete lines, then the beginning of one */
	uint64_t lines;		/* number of lines read */
	bool ended;
	bool truncated;		/* after the end: a compressed log that was cut off */
};

void mma_reader_release(struct mma_reader *r);

/**
 * Read up to @n entries of @s, in the order of the lines, into @v, the caller's.
 * Returns their number, 0 at the end of the log, or -errno with a sentence in @e: a malformed line
 * is -EINVAL, with its position and what was expected there.
 */
ssize_t mma_reader_next(struct mma_reader *r, struct mma_source *s, struct mma_entry *v, size_t n,
			struct error *e);

/*
 * A whole log in memory, sorted by time; entries of the same time are in the order of the file. 40
 * bytes per entry: it is read as a whole because nothing may be printed before the last line is
 * known to be well-formed, and because lines need not be sorted.
 */
struct mma_log {
	struct mma_entry *v;
	size_t n, cap;
	uint64_t lines;		/* number of lines read */
	bool truncated;		/* a compressed log that was cut off: the entries are those before
				   that */
};

void mma_log_release(struct mma_log *l);

/* Read a log from @s to its end; errors as mma_reader_next(). Release @l in any case. */
int mma_log_read(struct mma_log *l, struct mma_source *s, struct error *e);

/* True if a file is a log, judging by the beginning of its first line; the rest may be malformed.
 * Every compressed file counts as one. */
bool mma_is_log(const char *path);

/* Sort entries by time; those of the same time keep their order. 0 or -ENOMEM. */
int mma_sort(struct mma_entry *v, size_t n);

#endif
