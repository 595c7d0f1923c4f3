/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_EXECS_H
#define MPROF_SESSION_EXECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A process that executes one program after the other (a wrapper script, env, a shell) is mostly
 * meant for the last of them: which of the others are worth a profile?
 */

/* What a process did between two execs. */
struct exec_part {
	uint64_t bytes;	/* requested */
	bool kept;	/* before: in any case */
};

/**
 * Decide which of the @n parts of one process, in their order, are kept: the last, which is its
 * profile; those that were to be kept in any case; and those with more than a tenth of all bytes it
 * requested.
 */
void execs_judge(struct exec_part *v, size_t n);

struct image;
struct session;

/* The process is over, and with it what it executed before: that waited for what would follow. */
void session_process_ended(struct session *s, pid_t pid);

/*
 * An image of which nothing more will come waits for the report with no more than that needs: a
 * group may go on for long and have had many processes. What is still to be written of it is not
 * touched.
 */
void session_finish_image(struct session *s, struct image *i);

/* Nothing more will come at all: move the images that are not kept from s->images to s->left_out.
 * Out of memory, all are kept. */
void session_leave_out(struct session *s);

#endif
