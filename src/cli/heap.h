/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_HEAP_H
#define MPROF_CLI_HEAP_H

#include "breakpoints/trap_observer.h"
#include "cli/cli.h"
#include "control/protocol.h"
#include "session/session.h"

/*
 * Heap profiles of a session: joins what happens in it with the recorders that write them. Each
 * function does nothing for an image without such a recorder.
 */

/* Before anything is traced: take the variables that have been obeyed out of the environment. */
void heap_begin(struct trap_observer *to, const struct options *o);

/* An image begins: its recorder, if the options ask for one, in front of its others. 0 or
 * -ENOMEM. */
int heap_image_begin(struct session *s, struct image *i);

/* The program called one of gperftools' functions, or of those in mprof.h that stand for them.
 * True: it returns *result at once. */
bool heap_ask(struct image *i, struct task_ref task, enum program_question what,
	      const uint64_t arg[2], uint64_t *result);
void heap_texts_free(struct session *s);

/* "mprof control PID heap_dump": the answer to who has asked. */
void heap_dump(struct session *s, const char *reason, const struct control_asker *to);

#endif
