/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_HEAP_H
#define MPROF_CLI_HEAP_H

#include "breakpoints/trap_observer.h"
#include "cli/cli.h"
#include "control/protocol.h"
#include "session/session.h"

/*
 * Heap profiles of a session: joins what happens in it with the recorders that write them.
 */

/* Before anything is traced: take the variables that have been obeyed out of the environment. */
void heap_begin(struct trap_observer *to, const struct options *o);

/* An output of the session, whatever the options say: its programs may ask for profiles, too, by
 * gperftools' functions or those in mprof.h that stand for them. 0 or -errno. */
struct heap_output;
int heap_output_new(struct heap_output **out, struct session *s, const struct options *o);
void heap_output_free(struct heap_output *h);

/* "mprof control PID heap_dump": the answer to who has asked. */
void heap_dump(const struct heap_output *h, const char *reason, const struct control_asker *to);

#endif
