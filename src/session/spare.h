/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SPARE_H
#define MPROF_SESSION_SPARE_H

#include "session/session.h"

/* The memory that the profiles of a session take, and what is given up when it exceeds
 * --max-memory. */

/* An image's memory is checked after so many events. */
enum { SPARE_EVENTS = 256 };

/* Bytes of all profiles. */
uint64_t spare_used(const struct session *s);

/* Check it against the limit; if there is too much, stop keeping something and say so. */
void spare_check(struct session *s);

/* Apply the steps that were already taken to a new image. */
void spare_begin(struct image *i);

#endif
