/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_DATAFILE_GET_H
#define MPROF_PROFILE_DATAFILE_GET_H

#include "base/error.h"
#include "profile/datafile_flat.h"
#include "profile/datafile_io.h"
#include "profile/profile_data.h"

/**
 * Read all tables that format @version has from the untrusted database @db into the new, empty
 * profile @d. The values match the checksum then, but have not been checked against each other
 * (datafile_check()). What later versions added stays empty.
 * Returns 0, -ENOMEM, or -EUCLEAN with, in @e, what is wrong, without the name of the file.
 */
int datafile_get_tables(sqlite3 *db, int version, struct profile_data *d, struct error *e);

/* The same from a stream (datafile_put_flat()), to its end. */
int datafile_get_flat(struct flat_in *from, struct profile_data *d, struct error *e);

#endif
