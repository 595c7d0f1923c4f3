/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_PLACES_H
#define MPROF_NAMING_PLACES_H

#include "profile/profile.h"

/*
 * Places as a profile whose chains have one place each, with one request of one byte, which was
 * freed: chain i is leaf i. It has only what resolve_profile_by() reads.
 */

/* @places: copied. 0 or -ENOMEM; @p must be released in any case. */
int places_profile(struct profile *p, const struct profile_place *places, size_t n);
void places_profile_release(struct profile *p);

#endif
