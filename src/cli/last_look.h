/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LAST_LOOK_H
#define MPROF_CLI_LAST_LOOK_H

#include "cli/serve.h"

/*
 * What the resident memory of each program is for, when a session is about to let them go: one
 * after the other is looked at while the session goes on.
 */

/* As host.finishes(): is there one that is being looked at? */
bool last_look_goes_on(struct session *s);

/* The programs are let go now. What is not known of one that we were attached to is said. */
void last_look_end(struct serve *v);

#endif
