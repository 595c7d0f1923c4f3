/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_DATAFILE_SCHEMA_H
#define MPROF_PROFILE_DATAFILE_SCHEMA_H

#include "profile/profile_data.h"

#include <stdbool.h>

/* What the writer and the reader of the data file must agree on; no other file includes this. */

#define DATAFILE_APPLICATION_ID 0x6d70726f	/* "mpro" */

struct datafile_object {
	const char *type;	/* "table" or "view" */
	const char *name;
	const char *sql;	/* exactly as SQLite keeps it in sqlite_schema */
	int since;		/* the version that added it; 0: the first. A changed view counts
				   as added: the reader never queries views */
};

/* All tables, then all views, in the order of their creation; ends with a NULL type. */
extern const struct datafile_object datafile_schema[];

/* A row of the table meta that holds a number of the profile. Rows stand in this order. */
struct datafile_meta {
	const char *key;
	size_t offset;	/* of the member in struct profile_data */
	size_t width;	/* of the member in bytes: 4 or 8 */
	int since;	/* as above */
};

extern const struct datafile_meta datafile_meta[];	/* ends with a NULL key */
#define DATAFILE_CHECKSUM_KEY "checksum"		/* the row after them */

/* The member of @d that a row holds; and setting it. */
uint64_t datafile_meta_get(const struct datafile_meta *m, const struct profile_data *d);
/* False: @value does not fit the member. */
bool datafile_meta_set(const struct datafile_meta *m, struct profile_data *d, uint64_t value);

/*
 * The checksum of all values in the order they are written. SQLite itself does not notice when a
 * byte of a record changes. Each step is a bijection of the sum and of the value, so a single
 * changed value always changes the end result; several go unnoticed once in 2^64.
 */
#define DATAFILE_SUM_START UINT64_C(0xcbf29ce484222325)

uint64_t datafile_sum_null(uint64_t sum);
uint64_t datafile_sum_int(uint64_t sum, uint64_t value);
uint64_t datafile_sum_real(uint64_t sum, double value);
uint64_t datafile_sum_text(uint64_t sum, const char *text, size_t len);

#endif
