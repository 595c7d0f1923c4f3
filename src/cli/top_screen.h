/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_TOP_SCREEN_H
#define MPROF_CLI_TOP_SCREEN_H

#include "cli/top_session.h"

/* True if there is a terminal for a screen. False: a sentence has been printed. */
bool top_screen_possible(void);

/**
 * Show looks until the user quits.
 * @detach  set if the session is to be ended, too
 * Returns a status.
 */
int top_screen(struct top_session *s, bool *detach);

#endif
