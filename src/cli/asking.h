/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_ASKING_H
#define MPROF_CLI_ASKING_H

#include "control/control.h"

/* Shared by commands that talk to a session. */

/* The exit status for an error of control_ask(). */
int asking_status(int err);

/* The sentence of a part that is an error, in either form. For free(), or NULL: out of memory. */
char *asking_sentence(const struct control_part *p, enum control_form form);

/* Print the error of each part that is one. 0 or a status. */
int asking_say_errors(pid_t pid, const struct control_answer *a, enum control_form form);

/* There is no session of @pid: explain if it is traced by that of another process. */
void asking_explain(const char *command, pid_t pid, int err, struct error *e);

#endif
