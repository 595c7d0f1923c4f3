/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_HEAP_H
#define MPROF_CLI_HEAP_H

#include "cli/cli.h"
#include "session/session.h"

/*
 * Heap profiles of a session: joins what happens in it with the recorders that write them. Each
 * function does nothing for an image without such a recorder.
 */

/* Before anything is traced: take the variables that have been obeyed out of the environment. */
void heap_begin(struct session *s, const struct options *o);

/* An image begins: its recorder, if the options ask for one, in front of its others. 0 or -ENOMEM. */
int heap_image_begin(struct session *s, struct image *i);

/* What is mapped for execution has changed. */
void heap_modules(struct image *i, const struct mappings *maps);

/* The memory of the process is about to go out of reach. */
void heap_leaving(struct image *i);

/* A thread gets a signal. True: it was to ask for a profile, and is not the program's. */
bool heap_signal(struct image *i, pid_t tid, int sig);

/* The program called one of gperftools' functions, or of those in mprof.h that stand for them. True:
 * it returns *result at once. */
bool heap_ask(struct image *i, struct task_ref task, enum program_question what, const uint64_t arg[2],
	      uint64_t *result);
void heap_texts_free(struct session *s);

/* A system call has returned: a line in the log, if there is one. */
void heap_log_call(const struct image *i, const struct syscall_call *c);

/* Has every profile that was due been written? 0 or -EIO; what was not has been told then. */
int heap_written(const struct session *s);

/* Time has passed. */
void heap_tick(struct session *s);

/* "mprof control PID resume": what was deferred begins. */
void heap_resume(struct session *s);

/* "mprof control PID heap_dump": the answer to who has asked. */
void heap_dump(struct session *s, const char *reason, char *answer, size_t size);

#endif
