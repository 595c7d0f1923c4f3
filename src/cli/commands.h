/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_COMMANDS_H
#define MPROF_CLI_COMMANDS_H

#include "cli/serve.h"

/* Carry out the control commands that have come in. */
void serve_commands(struct serve *v);

/* The session is over and everything is written: answer those that wait for it. */
void serve_last_answers(struct serve *v);

/* Not everything is written: tell those that wait for it, and that the session stays. */
void serve_answer_detached(struct serve *v);

#endif
