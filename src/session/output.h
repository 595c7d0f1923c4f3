/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_OUTPUT_H
#define MPROF_SESSION_OUTPUT_H

#include "program_mark.h"
#include "record/recorder.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a session writes beside the profile of each image: timelines, logs, files of other formats.
 * The caller of session_init() registers the outputs; the session knows when one is due, and not
 * what it writes. Each kind of output embeds struct output as its first member.
 */

struct image;
struct session;

struct output {
	const struct output_ops *ops;
	struct session *session;
	unsigned slot;		/* index of this output in image.of */
	bool ticks;		/* its recorders need a periodic tick */
	unsigned ahead_s;	/* call ahead() when the session is this old, in seconds */
};

/* The state of an output for one image. */
struct image_output {
	struct recorder *recorder; /* NULL: none, or it has been freed */
	unsigned nth;	/* number of its file within the process, 1... */
	bool written;	/* its file has been written, or a save child is writing it */
};

/* All but begins() may be NULL. */
struct output_ops {
	const char *file; /* what write() writes, for messages: "the massif file" */
	/* An image begins: create its recorder, if it is to have one, by session_record(). 0 or
	 * -ENOMEM. A forked image gets its recorder by fork() of its parent's recorder instead. */
	int (*begins)(struct output *o, struct image *i);
	/* Write the file of an image, as it is now; NULL: it has none of its own.
	 * @superseded  the process goes on with another image, or its profile begins anew
	 * 0, or -errno: what has failed has been said. */
	int (*write)(struct output *o, struct image *i, bool superseded);
	/* True if each program that a process executes gets its own file, however little it
	 * requested. */
	bool (*keeps_execs)(const struct output *o);
	/* Answer a question of the program, see struct observer_sink. */
	bool (*ask)(struct output *o, struct image *i, struct task_ref task,
		    enum program_question what, const uint64_t arg[2], uint64_t *result);
	/* Report an event to the user as it happens. */
	void (*progress)(const struct output *o, const char *what);
	/* Work that can be done ahead of time, while the session goes on; called again and again
	 * from age ahead_s on. */
	void (*ahead)(struct output *o);
	/* No event counts from @now_ns on: the programs are about to be detached from. */
	void (*end)(struct output *o, uint64_t now_ns);
	/* The programs have been detached from: write what concerns all images. Returns as
	 * write(). */
	int (*finish)(struct output *o);
	/* Called in a save child that has written its file and is about to end. */
	void (*leave)(struct output *o);
};

#endif
