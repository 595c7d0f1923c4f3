/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/datafile_io.h"

#include "base/writeall.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
	sqlite3_file base;	/* first, as SQLite wants it */
	struct datafile_io *io;
};

static struct datafile_io *io_of(sqlite3_file *f)
{
	return ((struct file *)f)->io;
}

static int failed(struct datafile_io *io, int err, int code)
{
	if (!io->err)
		io->err = err;
	return code;
}

static int file_close(sqlite3_file *f)
{
	(void)f;
	return SQLITE_OK;
}

static int file_read(sqlite3_file *f, void *buf, int len, sqlite3_int64 at)
{
	struct datafile_io *io = io_of(f);
	char *to = buf;

	while (len > 0) {
		ssize_t n = pread(io->fd, to, (size_t)len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return failed(io, errno, SQLITE_IOERR_READ);
		if (n == 0) {
			memset(to, 0, (size_t)len);	/* SQLite relies on it */
			return SQLITE_IOERR_SHORT_READ;
		}
		to += n;
		at += n;
		len -= (int)n;
	}
	return SQLITE_OK;
}

static int file_write(sqlite3_file *f, const void *buf, int len, sqlite3_int64 at)
{
	struct datafile_io *io = io_of(f);

	if (io->readonly)
		return SQLITE_READONLY;
	int err = pwrite_all(io->fd, buf, (size_t)len, at);

	return err ? failed(io, -err, SQLITE_IOERR_WRITE) : SQLITE_OK;
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	struct datafile_io *io = io_of(f);

	if (io->readonly)
		return SQLITE_READONLY;
	return ftruncate(io->fd, size) ? failed(io, errno, SQLITE_IOERR_TRUNCATE) : SQLITE_OK;
}

/* The writer flushes once, at the end. */
static int file_sync(sqlite3_file *f, int flags)
{
	(void)f, (void)flags;
	return SQLITE_OK;
}

static int file_size(sqlite3_file *f, sqlite3_int64 *size)
{
	struct datafile_io *io = io_of(f);
	struct stat st;

	if (fstat(io->fd, &st))
		return failed(io, errno, SQLITE_IOERR_FSTAT);
	*size = st.st_size;
	return SQLITE_OK;
}

/* Nobody else uses the file: it is new and not yet renamed into place, or only read. */
static int file_lock(sqlite3_file *f, int level)
{
	(void)f, (void)level;
	return SQLITE_OK;
}

static int file_is_locked(sqlite3_file *f, int *locked)
{
	(void)f;
	*locked = 0;
	return SQLITE_OK;
}

static int file_control(sqlite3_file *f, int op, void *arg)
{
	(void)f, (void)op, (void)arg;
	return SQLITE_NOTFOUND;
}

static int file_sector_size(sqlite3_file *f)
{
	(void)f;
	return 4096;
}

/* An immutable file: SQLite neither looks for a journal nor makes one. */
static int file_traits(sqlite3_file *f)
{
	return io_of(f)->readonly ? SQLITE_IOCAP_IMMUTABLE : 0;
}

static const sqlite3_io_methods file_methods = {
	.iVersion = 1,
	.xClose = file_close,
	.xRead = file_read,
	.xWrite = file_write,
	.xTruncate = file_truncate,
	.xSync = file_sync,
	.xFileSize = file_size,
	.xLock = file_lock,
	.xUnlock = file_lock,
	.xCheckReservedLock = file_is_locked,
	.xFileControl = file_control,
	.xSectorSize = file_sector_size,
	.xDeviceCharacteristics = file_traits,
};

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out_flags)
{
	struct file *file = (struct file *)f;

	(void)name;
	f->pMethods = NULL;
	if (!(flags & SQLITE_OPEN_MAIN_DB))	/* a journal, or a temporary file for sorting */
		return SQLITE_CANTOPEN;
	file->io = vfs->pAppData;
	f->pMethods = &file_methods;
	if (out_flags)
		*out_flags = file->io->readonly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs, (void)name, (void)sync;
	return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *yes)
{
	(void)vfs, (void)name, (void)flags;
	*yes = 0;
	return SQLITE_OK;
}

static int vfs_full_pathname(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
	(void)vfs;
	snprintf(out, (size_t)size, "%s", name);
	return SQLITE_OK;
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *text)
{
	(void)size, (void)text;
	return ((struct datafile_io *)vfs->pAppData)->err;
}

int datafile_io_open(struct datafile_io *io, int fd, bool readonly, sqlite3 **db)
{
	*db = NULL;
	*io = (struct datafile_io){ .fd = fd, .readonly = readonly };
	int rc = sqlite3_initialize();
	if (rc)
		return rc;
	/* Time and random numbers come from the standard VFS; all file access is ours. */
	io->vfs = *sqlite3_vfs_find(NULL);
	snprintf(io->name, sizeof io->name, "mprof-%p", (void *)io);
	io->vfs.zName = io->name;
	io->vfs.pNext = NULL;
	io->vfs.pAppData = io;
	io->vfs.szOsFile = sizeof(struct file);
	io->vfs.xOpen = vfs_open;
	io->vfs.xDelete = vfs_delete;
	io->vfs.xAccess = vfs_access;
	io->vfs.xFullPathname = vfs_full_pathname;
	io->vfs.xGetLastError = vfs_last_error;
	rc = sqlite3_vfs_register(&io->vfs, 0);
	if (rc)
		return rc;
	int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;

	return sqlite3_open_v2("mprof.data", db,
			       flags | (readonly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE),
			       io->name);
}

void datafile_io_close(struct datafile_io *io, sqlite3 *db)
{
	sqlite3_close(db);
	sqlite3_vfs_unregister(&io->vfs);
}
