/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_DATAFILE_ROWS_H
#define MPROF_PROFILE_DATAFILE_ROWS_H

#include "base/array.h"
#include "base/error.h"
#include "profile/datafile_flat.h"
#include "profile/profile_data.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>

/* How the tables of a data file are read, row by row and value by value: for datafile_get*.c. */

/* Rows being read from the database, or a stream. After the first error nothing more is read. */
struct get {
	sqlite3 *db;
	struct flat_in *flat;	/* NULL: from the database */
	uint64_t left;		/* stream only: rows of the table still to come */
	int version;		/* of the format */
	sqlite3_stmt *row;	/* SELECT from the table that is being read */
	const char *table;	/* its name */
	size_t n;		/* the row's place in it: 0, 1, ... */
	size_t rows;		/* read so far */
	int column;		/* the next one to be read */
	uint64_t sum;		/* over all values so far */
	int err;
	struct error *e;
};

/* Note an error, with its sentence, unless there was one before. @what: of the present row. */
void get_damaged(struct get *g, const char *what);
void get_out_of_memory(struct get *g);

/* @select must not sort, nor use an index that a user has added: the order of rows is checked. */
void get_begin(struct get *g, const char *table, const char *select);

/* Moves to the next row; false at the end or after an error. get_end() must follow. */
bool get_row(struct get *g);
void get_end(struct get *g);

/* The next value of the row. */
uint64_t get_int(struct get *g);
uint32_t get_u32(struct get *g);
uint8_t get_flag(struct get *g);	/* 0 or 1; anything else is refused later */
uint8_t get_small(struct get *g, uint64_t end);	/* below @end */
double get_real(struct get *g);
uint32_t get_index(struct get *g);	/* PD_NONE if the value is NULL */
void get_id(struct get *g);	/* the row's number, which must be its index */
char *get_text(struct get *g);	/* a copy, for free(); NULL after a failure */
char *get_text_or_null(struct get *g);

/* Adds an element behind @n, all zero. NULL after get_out_of_memory(). */
#define NEXT(g, items, cap, n) \
	(ARRAY_RESERVE(items, cap, n) ? (get_out_of_memory(g), NULL) : \
	 memset(&(*(items))[n], 0, sizeof **(items)))

/* datafile_get_windows.c: how live blocks went up and down. */
void datafile_get_windows(struct get *g, struct profile_data *d);
/* datafile_get_before.c: blocks from before, resident memory, what leads to blocks. */
void datafile_get_before(struct get *g, struct profile_data *d);
/* ... and the reachable blocks of leaves, once everything else has been read. */
void datafile_get_reachable(struct profile_data *d);

/* datafile_get_site_types.c: the types at call sites. */
void datafile_get_site_types(struct get *g, struct profile_data *d);

/* datafile_series.c: what call sites held over the time. */
void datafile_get_series(struct get *g, struct profile_data *d);

#endif
