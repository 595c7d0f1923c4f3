/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/datafile.h"

#include "base/replace.h"
#include "profile/datafile_check.h"
#include "profile/datafile_io.h"
#include "profile/datafile_tables.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The errno of the system call that failed; if none did, one for SQLite's result code. */
static int reason(int rc, const struct datafile_io *io)
{
	if (rc == SQLITE_OK)
		return 0;
	if (io->err)
		return -io->err;
	return rc == SQLITE_NOMEM ? -ENOMEM : rc == SQLITE_FULL ? -ENOSPC :
	       rc == SQLITE_TOOBIG ? -EFBIG : -EIO;
}

/* Writes the whole file and syncs it. */
static int fill(int fd, void *profile)
{
	const struct profile_data *d = profile;
	struct datafile_io io;
	sqlite3 *db;
	int rc = datafile_io_open(&io, fd, false, &db);

	if (rc == SQLITE_OK)
		rc = datafile_put_tables(db, d);
	datafile_io_close(&io, db);
	int err = reason(rc & 0xff, &io);
	if (!err && fsync(fd))
		err = -errno;
	return err;
}

static int check(const char *path, const struct profile_data *d, struct error *e)
{
	struct error why;
	int err = datafile_check(d, &why);

	return !err ? 0 : error_set(e, err == -EUCLEAN ? -EINVAL : err,
				    "cannot write %s: the profile is inconsistent: "
				    "%s", path, why.text);
}

int datafile_write(const char *path, const struct profile_data *d, struct error *e)
{
	int err = check(path, d, e);

	return err ? err : replace_file(path, "mprof.data.", fill, (void *)(uintptr_t)d, e);
}

int datafile_write_fd(int fd, const struct profile_data *d, struct error *e)
{
	int err = check("the profile", d, e);

	if (err)
		return err;
	err = fill(fd, (void *)(uintptr_t)d);
	return err ? error_set(e, err, "cannot write the profile: %s", strerror(-err)) : 0;
}

int datafile_send(int fd, const struct profile_data *d, struct error *e)
{
	int err = check("the profile", d, e);

	if (err)
		return err;
	struct flat_out *to = calloc(1, sizeof *to);

	if (!to)
		return error_set(e, -ENOMEM, "cannot write the profile: out of memory");
	to->fd = fd;
	datafile_put_flat(to, d);
	err = flat_out_end(to);
	free(to);
	return err ? error_set(e, err, "cannot write the profile: %s", strerror(-err)) : 0;
}
