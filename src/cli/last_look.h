/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LAST_LOOK_H
#define MPROF_CLI_LAST_LOOK_H

#include "cli/serve.h"

/*
 * Near the end of a session: find what the resident memory of each program is for; they are looked
 * at one after the other while the session goes on.
 */

/* For host.finishes(): true while a program is being looked at. */
bool last_look_goes_on(struct session *s);

/* The programs are about to be detached from. If we had attached to one and it was not looked at,
 * that is said. */
void last_look_end(struct serve *v);

#endif
