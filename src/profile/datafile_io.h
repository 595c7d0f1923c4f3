/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_DATAFILE_IO_H
#define MPROF_PROFILE_DATAFILE_IO_H

#include <sqlite3.h>
#include <stdbool.h>

/*
 * SQLite on one file descriptor. SQLite's own file layer opens by name: it follows links, refuses
 * paths above 512 bytes, replaces errno by codes of its own and may leave a journal beside the
 * file. Here the file that was checked is the file that is used, and there is no other.
 */
struct datafile_io {
	int fd;		/* the caller's; never closed here */
	int err;	/* errno of the first read or write that failed, or 0 */
	bool readonly;
	char name[40];	/* under which the VFS is registered with SQLite */
	sqlite3_vfs vfs;
};

/**
 * Open a database on @fd: an empty file to write, or (@readonly) a file that does not change.
 * @io  the caller's, to be kept until datafile_io_close(); it must be called on failure as well
 * @db  NULL after a failure for want of memory
 * Returns an SQLite result code.
 */
int datafile_io_open(struct datafile_io *io, int fd, bool readonly, sqlite3 **db);

/* Closes @db (NULL is fine); its statements must be finalized. Nothing is flushed to the disk. */
void datafile_io_close(struct datafile_io *io, sqlite3 *db);

#endif
