/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_METER_H
#define MPROF_SESSION_METER_H

#include "session/session.h"

/* What observing costs the programs of a session, and what is done when it is too much. */

/* An image begins: what its process did before is not its own. */
void meter_begin(struct image *i);

/* It is about to be observed no longer, or to be paused, or the sum is wanted: what its process has
 * done until now is added to the session's. */
void meter_take(struct image *i);

/* All of it, until now; when nothing is observed any more, until the last one ended. */
struct cost_span meter_read(struct session *s);

/* Somebody wants the pause that goes on to last until he ends it. False: there is none of ours. */
bool meter_give_up_pause(struct session *s);

/* Time has passed: is it too much? */
void meter_tick(struct session *s, uint64_t now_ns);

#endif
