/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_DATAFILE_PUT_H
#define MPROF_PROFILE_DATAFILE_PUT_H

#include "profile/datafile_flat.h"
#include "profile/profile_data.h"

#include <sqlite3.h>

/* How the tables of a data file are written, row by row and value by value. */

/* Rows being written into the database, or into a stream. After the first failure nothing more is
 * written. */
struct put {
	sqlite3 *db;
	struct flat_out *flat;	/* NULL: into the database */
	const char *table;	/* the table being filled */
	int columns;		/* of the table */
	size_t rows_left;	/* still to come */
	sqlite3_stmt *insert;	/* inserts several rows at a time */
	int values;		/* parameters of the statement */
	int bound;		/* of these, bound so far */
	uint64_t sum;		/* over all values so far */
	int rc;
};

/* Begin @table, of which @rows rows of @columns values follow; and end it. */
void put_begin(struct put *p, const char *table, int columns, size_t rows);
void put_end(struct put *p);

/* The next value of the row. */
void put_int(struct put *p, uint64_t value);
void put_real(struct put *p, double value);
void put_null(struct put *p);

/* PD_NONE is NULL. */
void put_index(struct put *p, uint32_t index);

/* NULL is NULL. */
void put_text(struct put *p, const char *text);

/* Ends a row. */
void put_row(struct put *p);

/* datafile_put_besides.c: blocks from before, resident memory, and what leads to blocks. */
void datafile_put_besides(struct put *p, const struct profile_data *d);

/* datafile_series.c: what call sites held over the time. */
void datafile_put_series(struct put *p, const struct profile_data *d);

#endif
