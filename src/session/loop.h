/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_LOOP_H
#define MPROF_SESSION_LOOP_H

#include "session/session.h"

/**
 * Serve the programs, clients and timers until all programs have ended, somebody asks for the end,
 * or the time is over. signals_begin() has been called.
 * Returns 0, or -errno: waiting for the programs has failed.
 */
int session_run(struct session *s);

/* No event counts from here on: let the programs go, and wait for what is being written of them. */
void session_let_go(struct session *s);

#endif
