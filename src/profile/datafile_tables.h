/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_DATAFILE_TABLES_H
#define MPROF_PROFILE_DATAFILE_TABLES_H

#include "profile/datafile_flat.h"
#include "profile/datafile_io.h"
#include "profile/profile_data.h"

/**
 * Fill the new database @db with all tables and views of a profile that passed datafile_check().
 * Returns an SQLite result code.
 */
int datafile_put_tables(sqlite3 *db, const struct profile_data *d);

/* The same tables as a stream, without those that follow from others. */
void datafile_put_flat(struct flat_out *to, const struct profile_data *d);

#endif
