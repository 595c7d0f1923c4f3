/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_FROM_DATA_H
#define MPROF_MASSIF_FROM_DATA_H

#include "massif/settings.h"
#include "profile/profile_data.h"

#include <stdio.h>

/**
 * Write the timeline of a finished profile as a massif file; the point at the peak has a tree.
 * Other points are left out if Massif would not have kept them in a table of that size. Start code
 * was cut from the profile's chains when they were named.
 * @desc  options, as in struct massif_heading
 * @s     unit (MASSIF_MS unless it is MASSIF_BYTES), filter, threshold and rules.max_snapshots
 * The caller checks @out for errors. Returns 0 or -ENOMEM.
 */
int massif_from_data(const struct profile_data *d, const char *desc,
		     const struct massif_settings *s, FILE *out);

#endif
