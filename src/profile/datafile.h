/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_DATAFILE_H
#define MPROF_PROFILE_DATAFILE_H

#include "base/error.h"
#include "profile/profile_data.h"

/* The schema of mprof.data, see mprof.data(5). */
#define DATAFILE_VERSION 13

/**
 * Write a profile to @path, an SQLite database described in mprof.data(5): into a temporary file
 * in the same directory, in one transaction, flushed, then renamed over @path, so that a full
 * disk or a crash leaves what was there before. If @path is a symbolic link, the link itself is
 * replaced. The temporary file is removed in any case.
 * Returns 0 or -errno with a sentence in @e.
 */
int datafile_write(const char *path, const struct profile_data *d, struct error *e);

/* The same into @fd, an empty file; nothing is renamed. */
int datafile_write_fd(int fd, const struct profile_data *d, struct error *e);

/**
 * Like datafile_write_fd(), but as a stream that only another process of ours can read, by
 * datafile_receive().
 */
int datafile_send(int fd, const struct profile_data *d, struct error *e);

/* As datafile_read(), from a stream made by datafile_send(), which is untrusted as well. */
int datafile_receive(int fd, struct profile_data **out, struct error *e);

/**
 * Read a profile. The file is untrusted: whatever is in it, the result is either a consistent
 * profile (all indices in range, parents before children, arrays sorted as profile_data.h says,
 * sums checked against the totals) or an error. Never writes to the file or beside it.
 * @out  the caller's, to be given to profile_data_free()
 * Returns 0, or -errno with a sentence in @e: -ENOENT and the like, -EINVAL (not an mprof data
 * file), -EUCLEAN (damaged or truncated), -EPROTONOSUPPORT (written by a newer mprof).
 */
int datafile_read(const char *path, struct profile_data **out, struct error *e);

#endif
