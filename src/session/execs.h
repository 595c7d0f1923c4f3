/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_EXECS_H
#define MPROF_SESSION_EXECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A process that executes one program after another (a wrapper script, env, a shell) is usually
 * profiled for the last of them. This decides which of the others are worth a profile.
 */

/* What a process did between two execs. */
struct exec_part {
	uint64_t bytes;	/* bytes requested */
	bool kept;	/* set by the caller: keep it in any case. Set by execs_judge(): keep it */
};

/**
 * Decide which of the @n parts of one process, in their order, are kept: the last one; those whose
 * "kept" is set already; and those with more than a tenth of all bytes that the process requested.
 */
void execs_judge(struct exec_part *v, size_t n);

struct image;
struct session;

/* Process @pid has ended: decide the fate of the images that it had before its last exec. */
void session_process_ended(struct session *s, pid_t pid);

/*
 * Reduce an image that gets no more events to what the report needs: the session may go on for long
 * and have many processes. What is still to be written of the image is left alone.
 */
void session_finish_image(struct session *s, struct image *i);

/* At the end of the session: move the images that are not kept from s->images to s->left_out. If
 * memory runs out, all are kept. */
void session_leave_out(struct session *s);

#endif
