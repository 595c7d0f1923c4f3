/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_DATAFILE_CHECK_H
#define MPROF_PROFILE_DATAFILE_CHECK_H

#include "base/error.h"
#include "profile/profile_data.h"

/**
 * Does the profile hold everything profile_data.h promises? The reader asks because a file can
 * be forged, the writer because such a file could never be read again.
 * Returns 0, -ENOMEM, or -EUCLEAN and what is wrong in @e: "node 7: its parent does not precede
 * it".
 */
int datafile_check(const struct profile_data *d, struct error *e);

/* datafile_series.c: checks the series, once the totals have been checked. */
int datafile_check_series(const struct profile_data *d, struct error *e);

#endif
