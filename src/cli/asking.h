/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_ASKING_H
#define MPROF_CLI_ASKING_H

#include "control/control.h"

/* What the commands that talk to a session have in common. */

/* The exit status for what control_ask() returns if it fails. */
int asking_status(int err);

/* The sentence of a part that is an error, whatever the form. For free(), or NULL: out of
 * memory. */
char *asking_sentence(const struct control_part *p, enum control_form form);

/* Say it, if a part of the answer is that it failed. 0 or a status. */
int asking_say_errors(pid_t pid, const struct control_answer *a, enum control_form form);

/* Where there is no session: it may be traced in that of another process. */
void asking_explain(const char *command, pid_t pid, int err, struct error *e);

#endif
