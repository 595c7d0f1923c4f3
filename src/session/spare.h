/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SPARE_H
#define MPROF_SESSION_SPARE_H

#include "session/session.h"

/* What the profiles of a session take of our memory, and what they do without when it is too
 * much. */

/* So many events of an image can come before anybody has to look again. */
enum { SPARE_EVENTS = 256 };

/* Bytes of all profiles. */
uint64_t spare_used(const struct session *s);

/* Is it too much? If so, something is not kept any more, and said. */
void spare_check(struct session *s);

/* An image begins: what others do without it does without as well. */
void spare_begin(struct image *i);

#endif
