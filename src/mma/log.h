/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_LOG_H
#define MPROF_MMA_LOG_H

#include "base/error.h"
#include "mma/entry.h"
#include "mma/source.h"

/* So many entries are worth a call. */
#define MMA_BATCH 256

/* A log while it is being read, a batch of entries at a time. Zeroed it is at the beginning. */
struct mma_reader {
	char *buf;		/* text: from @at to @len it has not been looked at */
	size_t at, whole, len, cap;	/* to @whole it is lines, behind that the beginning of
					   one */
	uint64_t lines;		/* that were read */
	bool ended;
	bool truncated;		/* at its end: a compressed log that was cut off */
};

void mma_reader_release(struct mma_reader *r);

/**
 * Read up to @n entries of @s, in the order of the lines, into @v, the caller's.
 * Returns their number, 0 at the end of the log, or -errno with a sentence in @e: a malformed line
 * is
 * -EINVAL, with its place and what was expected there.
 */
ssize_t mma_reader_next(struct mma_reader *r, struct mma_source *s, struct mma_entry *v, size_t n,
			struct error *e);

/*
 * A whole log in memory, in the order of time; entries of the same time are in the order of the
 * file. 40 bytes an entry: nothing may be printed of a log before its last line has been found to
 * be well-formed, and its lines need not be in order.
 */
struct mma_log {
	struct mma_entry *v;
	size_t n, cap;
	uint64_t lines;		/* that were read */
	bool truncated;		/* a compressed log that was cut off: this is what was whole */
};

void mma_log_release(struct mma_log *l);

/* Read a log from @s to its end, as mma_reader_next(). @l is to be released in any case. */
int mma_log_read(struct mma_log *l, struct mma_source *s, struct error *e);

/* Whether a file is a log, by the beginning of its first line; all else may be malformed. What is
 * compressed can only be one. */
bool mma_is_log(const char *path);

/* Put entries in the order of time; those of the same time stay in theirs. 0 or -ENOMEM. */
int mma_sort(struct mma_entry *v, size_t n);

#endif
