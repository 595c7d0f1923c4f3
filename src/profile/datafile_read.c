/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/datafile.h"

#include "base/preadall.h"
#include "profile/datafile_check.h"
#include "profile/datafile_get.h"
#include "profile/datafile_io.h"
#include "profile/datafile_schema.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Offsets in the header of an SQLite file that are checked before SQLite reads it. */
enum { AT_PAGE_SIZE = 16, AT_PAGES = 28, AT_VERSION = 60, AT_APPLICATION = 68, HEADER = 100 };

static int cannot(struct error *e, const char *path, int err)
{
	return error_set(e, err, "cannot read %s: %s", path, strerror(-err));
}

static uint32_t number_at(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* O_NONBLOCK, as @path may be a FIFO without a writer. Returns a descriptor or -errno. */
static int open_ordinary(const char *path, uint64_t *size, struct error *e)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return cannot(e, path, -errno);
	int err = fstat(fd, &st) ? cannot(e, path, -errno) :
		  S_ISDIR(st.st_mode) ? cannot(e, path, -EISDIR) :
		  S_ISREG(st.st_mode) ? 0 :
		  error_set(e, -EINVAL, "cannot read %s: it is not an ordinary file", path);
	if (err) {
		close(fd);
		return err;
	}
	*size = (uint64_t)st.st_size;
	return fd;
}

/* The header is checked before SQLite parses anything. */
static int check_header(int fd, uint64_t size, const char *path, struct error *e)
{
	unsigned char h[HEADER];
	ssize_t n = pread_all(fd, h, sizeof h, 0);

	if (n < 0)
		return cannot(e, path, -errno);
	if (n > 5 && !memcmp(h, "desc:", 5))
		return error_set(e, -EINVAL, "%s is not a data file of mprof but a massif file: "
					     "mprof report "
				 "--format=ms_print prints it", path);
	if (n < HEADER || memcmp(h, "SQLite format 3", 16) ||
	    number_at(h + AT_APPLICATION) != DATAFILE_APPLICATION_ID)
		return error_set(e, -EINVAL, "%s is not a data file of mprof", path);
	int version = (int)number_at(h + AT_VERSION);
	if (version > DATAFILE_VERSION)
		return error_set(e, -EPROTONOSUPPORT, "%s was written by a newer mprof "
				 "(format %d, this one reads up to "
				 "%d)", path, version, DATAFILE_VERSION);
	if (version < 1)
		return error_set(e, -EUCLEAN, "%s is damaged: it has no format %d", path, version);
	uint64_t page = (uint64_t)h[AT_PAGE_SIZE] << 8 | h[AT_PAGE_SIZE + 1];
	if (page == 1)	/* stands for 65536, which does not fit */
		page = 65536;
	if (page * number_at(h + AT_PAGES) > size)
		return error_set(e, -EUCLEAN, "%s is damaged: its end is missing", path);
	return 0;
}

/* After https://www.sqlite.org/security.html: only what reading our tables takes. */
static void restrict_sqlite(sqlite3 *db, uint64_t size)
{
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, size < INT_MAX ? (int)size : INT_MAX);
	sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 100000);
	sqlite3_limit(db, SQLITE_LIMIT_COLUMN, 100);
	sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 100);
	sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 10);
	sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, 25000);
	sqlite3_limit(db, SQLITE_LIMIT_FUNCTION_ARG, 8);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50);
	sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, 10);
	sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 10);
}

static int failed(sqlite3 *db, int rc, struct error *e)
{
	if (rc == SQLITE_INTERRUPT)
		return error_set(e, -EUCLEAN, "it takes more work than a file of its size is "
					      "worth");
	if (rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB)
		return error_set(e, -EUCLEAN, "its pages or rows are not in order");
	return error_set(e, rc == SQLITE_NOMEM ? -ENOMEM : -EUCLEAN, "%s", sqlite3_errmsg(db));
}

static bool text_is(sqlite3_stmt *row, int column, const char *want)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return text && !strcmp(text, want);
}

/*
 * Each of our objects must be what we created, to the letter. A forged file could have, in place
 * of a table, a view that never ends, a virtual table or a generated column. Objects that are not
 * ours, such as an index or view that a user has added, are never used.
 */
static int check_schema(sqlite3 *db, int version, struct error *e)
{
	sqlite3_stmt *row;
	int rc = sqlite3_prepare_v2(db, "SELECT type, sql FROM sqlite_schema WHERE name = ?1", -1,
				    &row, NULL);
	int err = rc ? failed(db, rc, e) : 0;

	for (const struct datafile_object *o = datafile_schema; !err && o->type; o++) {
		if (o->since > version)
			continue;
		sqlite3_bind_text(row, 1, o->name, -1, SQLITE_STATIC);
		rc = sqlite3_step(row);
		if (rc != SQLITE_ROW && rc != SQLITE_DONE)
			err = failed(db, rc, e);
		else if (rc == SQLITE_DONE)
			err = error_set(e, -EUCLEAN, "it has no %s %s", o->type, o->name);
		else if (!text_is(row, 0, o->type) || !text_is(row, 1, o->sql))
			err = error_set(e, -EUCLEAN, "its %s %s is not mprof's", o->type, o->name);
		sqlite3_reset(row);
	}
	sqlite3_finalize(row);
	return err;
}

/* Is that what quick_check says of a page that there was no memory for? */
static bool lacked_memory(sqlite3 *db, const char *said)
{
	static const char code[] = "error code=";
	const char *at = said ? strstr(said, code) : NULL;
	const int rc = at ? atoi(at + sizeof code - 1) : sqlite3_errcode(db);

	return rc == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM;
}

/*
 * Is each page used once, and each row in its place? Then no forged page is read again and again,
 * and the rows cannot be more than the file holds.
 */
static int check_pages(sqlite3 *db, struct error *e)
{
	sqlite3_stmt *row;
	int rc = sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &row, NULL);
	int err = 0;

	if (rc == SQLITE_OK)
		rc = sqlite3_step(row);
	if (rc != SQLITE_ROW)
		err = failed(db, rc, e);
	else if (!text_is(row, 0, "ok"))
		err = lacked_memory(db, (const char *)sqlite3_column_text(row, 0)) ?
			      error_set(e, -ENOMEM, "out of memory") :
			      error_set(e, -EUCLEAN, "its pages or rows are not in order");
	sqlite3_finalize(row);
	return err;
}

/* A file of ours takes less than one SQLite step a byte; a forged one may be made to take more. */
#define STEPS_A_CHECK 1000
#define STEPS_A_BYTE 8
#define STEPS_BESIDES 1000000

static int too_much(void *left)
{
	uint64_t *checks_left = left;

	return *checks_left ? (--*checks_left, 0) : 1;
}

/* The format version, which check_header() has found to be a known one. */
static int version_of(sqlite3 *db, struct error *e)
{
	sqlite3_stmt *row;
	int rc = sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &row, NULL), version = 0;

	if (rc == SQLITE_OK)
		rc = sqlite3_step(row);
	if (rc == SQLITE_ROW)
		version = sqlite3_column_int(row, 0);
	else
		version = failed(db, rc, e);
	sqlite3_finalize(row);
	return version;
}

static int get_checked(sqlite3 *db, uint64_t size, struct profile_data *d, struct error *e)
{
	uint64_t checks_left = (STEPS_BESIDES + size * STEPS_A_BYTE) / STEPS_A_CHECK;

	restrict_sqlite(db, size);
	sqlite3_progress_handler(db, STEPS_A_CHECK, too_much, &checks_left);
	int version = version_of(db, e);
	int err = version < 0 ? version : check_schema(db, version, e);
	if (!err)
		err = check_pages(db, e);
	if (!err)
		err = datafile_get_tables(db, version, d, e);
	return err ? err : datafile_check(d, e);
}

/* -EUCLEAN only if the file is damaged; failed reads and want of memory are not its fault. */
static int read_file(int fd, uint64_t size, const char *path, struct profile_data *d,
		     struct error *e)
{
	struct datafile_io io;
	struct error why;
	sqlite3 *db;
	int rc = datafile_io_open(&io, fd, true, &db);
	int err = rc ? error_set(&why, rc == SQLITE_NOMEM ? -ENOMEM : -EUCLEAN, "%s",
				 sqlite3_errstr(rc)) : get_checked(db, size, d, &why);

	datafile_io_close(&io, db);
	if (!err)
		return 0;
	if (io.err)
		return cannot(e, path, -io.err);
	if (err == -EUCLEAN)
		return error_set(e, err, "%s is damaged: %s", path, why.text);
	return cannot(e, path, err);
}

int datafile_read(const char *path, struct profile_data **out, struct error *e)
{
	uint64_t size = 0;

	*out = NULL;
	int fd = open_ordinary(path, &size, e);
	if (fd < 0)
		return fd;
	struct profile_data *d = NULL;
	int err = check_header(fd, size, path, e);
	if (!err && !(d = profile_data_new()))
		err = cannot(e, path, -ENOMEM);
	if (!err)
		err = read_file(fd, size, path, d, e);
	close(fd);
	if (err)
		profile_data_free(d);
	else
		*out = d;
	return err;
}

static int receive(int fd, struct profile_data *d, struct error *e)
{
	struct flat_in *from = calloc(1, sizeof *from);
	int err = from ? flat_in_begin(from, fd) : -ENOMEM;

	if (err)
		error_set(e, err, "%s", strerror(-err));
	else
		err = datafile_get_flat(from, d, e);
	free(from);
	return err ? err : datafile_check(d, e);
}

int datafile_receive(int fd, struct profile_data **out, struct error *e)
{
	struct profile_data *d = profile_data_new();
	struct error why = { "out of memory" };
	int err = d ? receive(fd, d, &why) : -ENOMEM;

	*out = err ? NULL : d;
	if (!err)
		return 0;
	profile_data_free(d);
	return error_set(e, err, "cannot take over a profile: %s", why.text);
}
