/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_MASSIF_H
#define MPROF_CLI_MASSIF_H

#include "cli/cli.h"
#include "session/session.h"
#include "control/protocol.h"
#include "massif/recorder.h"

/**
 * Before the program is started: which unit of time, and can the file be written? Says what was
 * chosen. Returns 0 or an exit status; a sentence has been printed.
 */
int massif_prepare(struct options *o);

/* If the options ask for massif files: what they need, in s->massif. 0 or -ENOMEM. */
int massif_session_open(struct session *s, const struct options *o);
void massif_session_close(struct session *s);

/* The recorder of an image that begins, if there is to be one. 0 or -ENOMEM. */
int massif_image_begin(struct session *s, struct image *i);

/* Is each program that a process executes to have its massif file, whatever it requested? */
bool massif_keeps_execs(const struct session *s);

/* Write the massif file of an image as it is now; @superseded: another one of the process follows.
 * 0, or -errno after printing why not. */
int massif_image_write(const struct session *s, const struct image *i, bool superseded);

/* ---- files of a moment, for the control socket ---- */

enum massif_file_kind { MASSIF_SNAPSHOT, MASSIF_DETAILED_SNAPSHOT, MASSIF_ALL_SNAPSHOTS };

/* What such a file is to hold. */
struct massif_moment {
	struct massif_recorder *recorder;
	struct massif_snapshot one;	/* if it is only one */
	const struct massif_snapshot *snapshots;
	size_t n;
};

/* Neither the table nor its rhythm are changed. 0 or -ENOMEM; good until the next event. */
int massif_moment_take(const struct image *i, enum massif_file_kind kind, struct massif_moment *m);
void massif_moment_release(struct massif_moment *m);

/* 0, or -errno with a sentence in @e. */
int massif_moment_write(const struct session *s, const struct image *i,
			const struct massif_moment *m, const char *path, struct error *e);

/*
 * The first tree costs most, for what names are made of has to be read. So when the session is
 * MASSIF_AHEAD_S old, a copy of ourselves that gives way to everybody reads it into the cache of
 * names.
 */
struct serve;
enum { MASSIF_AHEAD_S = 1 };
void massif_read_names_ahead(struct serve *v);

/* Where a file goes that is not named; in the directory in which the session was begun. */
extern const char massif_default_file[];

/* Whether the process is one of those that are traced now. */
bool massif_traces(const struct session *s, pid_t pid);


/* Serve a command of the control socket: a file is written beside the tracing, and its writer
 * answers
 * @to, whose descriptor stays the caller's. @args: "PID [FILE]" */
void massif_command(struct serve *v, enum massif_file_kind kind, const char *args,
		    const struct control_asker *to);

#endif
