/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_DATAFILE_GET_H
#define MPROF_PROFILE_DATAFILE_GET_H

#include "base/error.h"
#include "profile/datafile_flat.h"
#include "profile/datafile_io.h"
#include "profile/profile_data.h"

/**
 * Read all tables that there are in @version of the untrusted database @db into the new, empty
 * profile @d, whose values are then those the checksum was made of, but not yet known to fit
 * together (datafile_check()).
 * @version  of its format; what came later is empty then
 * Returns 0, -ENOMEM, or -EUCLEAN with, in @e, what is wrong, without the name of the file.
 */
int datafile_get_tables(sqlite3 *db, int version, struct profile_data *d, struct error *e);

/* The same of a stream (datafile_put_flat()), to its end. */
int datafile_get_flat(struct flat_in *from, struct profile_data *d, struct error *e);

#endif
