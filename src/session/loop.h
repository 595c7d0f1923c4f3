/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_LOOP_H
#define MPROF_SESSION_LOOP_H

#include "session/session.h"

/**
 * Serve the programs, clients and timers until all programs have ended, a client or signal asks for
 * the end, or the time is over. Call signals_begin() first.
 * Returns 0, or -errno: waiting for the programs has failed.
 */
int session_run(struct session *s);

/* Detach from the programs (later events do not count) and wait for the processes that still
 * write. */
void session_let_go(struct session *s);

#endif
