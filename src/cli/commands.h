/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_COMMANDS_H
#define MPROF_CLI_COMMANDS_H

#include "cli/serve.h"

/* Carry out the commands that have arrived on the control socket. */
void serve_commands(struct serve *v);

/* The session is over and everything is written: answer the clients that wait for that. */
void serve_last_answers(struct serve *v);

/* Not everything is written: tell the clients that wait, and that the session stays. */
void serve_answer_detached(struct serve *v);

#endif
