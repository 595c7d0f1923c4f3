/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_METER_H
#define MPROF_SESSION_METER_H

#include "session/session.h"

/* What observing costs the programs of a session, and what is done when it is too much
 * (--max-slowdown). */

/* An image begins: what its process used before does not belong to it. */
void meter_begin(struct image *i);

/* Add to the session's cost what the process of @i has used since the last call. Call it before the
 * image is paused or no longer observed, and when the sum is wanted. */
void meter_take(struct image *i);

/* The session's cost until now, or until the last image was no longer observed. */
struct cost_span meter_read(struct session *s);

/* A pause that meter_tick() began is now to last until the user ends it. False: there is none. */
bool meter_give_up_pause(struct session *s);

/* Called periodically: pauses, resumes or ends the session if observing costs too much. */
void meter_tick(struct session *s, uint64_t now_ns);

#endif
