/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_EXECS_H
#define MPROF_SESSION_EXECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A process that executes one program after the other (a wrapper script, env, a shell) is mostly meant for
 * the last of them: which of the others are worth a profile?
 */

/* What a process did between two execs. */
struct exec_part {
	uint64_t bytes;	/* requested */
	bool kept;	/* before: in any case */
};

/**
 * Decide which of the @n parts of one process, in their order, are kept: the last, which is its profile;
 * those that were to be kept in any case; and those with more than a tenth of all bytes it requested.
 */
void execs_judge(struct exec_part *v, size_t n);

struct session;

/* No more images of this process will come: decide for those that are open. */
void session_judge_execs(struct session *s, pid_t pid);

/**
 * Nothing more will come at all: take the images that are not kept out of s->images, and write a sentence
 * about them to s->left_out_text. Out of memory, all are kept.
 */
void session_leave_out(struct session *s);

#endif
