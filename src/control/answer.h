/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONTROL_ANSWER_H
#define MPROF_CONTROL_ANSWER_H

#include "control/protocol.h"

/* Send a whole answer. Never waits: a client that does not read loses it. What does not fit into
 * the socket's buffer is sent by a child process; whoever waits for the session's children reaps
 * it. */
void control_answer(const struct control_asker *to, bool ok, const char *text);

/* Begin an answer of @parts parts; each may be sent by another process. */
void control_answer_begin(const struct control_asker *to, size_t parts);
void control_answer_part(const struct control_asker *to, bool ok, const char *text);

/* Send a whole answer that may be long: waits for the client to read, but not for ever. */
void control_answer_at_length(const struct control_asker *to, const char *text);

#endif
