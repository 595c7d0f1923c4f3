/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONTROL_ANSWER_H
#define MPROF_CONTROL_ANSWER_H

#include "control/protocol.h"

/* The whole answer. Never waits: a client that does not read it does without. */
void control_answer(const struct control_asker *to, bool ok, const char *text);

/* An answer of several parts begins; each may come from a process of its own. */
void control_answer_begin(const struct control_asker *to, size_t parts);
void control_answer_part(const struct control_asker *to, bool ok, const char *text);

/* The whole of one that may be long: waits until it is read, but not for a client that never reads. */
void control_answer_at_length(const struct control_asker *to, const char *text);

#endif
