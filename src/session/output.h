/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_OUTPUT_H
#define MPROF_SESSION_OUTPUT_H

#include "program_mark.h"
#include "record/recorder.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a session writes beside the profile of each image: timelines, logs, files of other formats.
 * Whoever began the session has registered them; the session knows when something is due, and not
 * what. Each concern embeds struct output as the first member of its own.
 */

struct image;
struct session;

struct output {
	const struct output_ops *ops;
	struct session *session;
	unsigned slot;		/* of the images' struct image_output that are this output's */
	bool ticks;		/* its recorders want to be told that time passes */
	unsigned ahead_s;	/* ahead() is to be called when the session is so old */
};

/* What an output has of an image. */
struct image_output {
	struct recorder *recorder; /* NULL: none, or it has been freed */
	unsigned nth;	/* its file is the process's first (1), second ... */
	bool written;	/* somebody writes its file, or has written it */
};

/* All but begins() may be NULL. */
struct output_ops {
	const char *file; /* what write() writes: "the massif file" */
	/* An image begins: its recorder, if there is to be one, by session_record(). 0 or -ENOMEM.
	 * That of a forked image is its parent's recorder's fork. */
	int (*begins)(struct output *o, struct image *i);
	/* Write the file of an image, as it is now; NULL: it has none of its own.
	 * @superseded  the process goes on with another image, or begins anew
	 * 0, or -errno: what has failed has been said. */
	int (*write)(struct output *o, struct image *i, bool superseded);
	/* Is each program that a process executes to have its file, whatever it requested? */
	bool (*keeps_execs)(const struct output *o);
	/* A question of the program's, see struct observer_sink. */
	bool (*ask)(struct output *o, struct image *i, struct task_ref task,
		    enum program_question what, const uint64_t arg[2], uint64_t *result);
	/* Something that users want to be told of as it happens. */
	void (*progress)(const struct output *o, const char *what);
	/* What can be done ahead of time, while the session goes on: asked again and again when it
	 * is old enough. */
	void (*ahead)(struct output *o);
	/* No event counts from @now_ns on: the programs are about to be let go. */
	void (*end)(struct output *o, uint64_t now_ns);
	/* The programs have been let go: write what is about all of them. Returns as write(). */
	int (*finish)(struct output *o);
	/* This copy of ourselves has written, and is about to end. */
	void (*leave)(struct output *o);
};

#endif
