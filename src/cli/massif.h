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

/* The massif files of a session. */
struct massif_output;

/* An output of the session, if the options ask for it; *out is NULL if not. 0 or -errno. */
int massif_output_new(struct massif_output **out, struct session *s, const struct options *o);
void massif_output_free(struct massif_output *m);

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
int massif_moment_take(const struct massif_output *o, const struct image *i,
		       enum massif_file_kind kind, struct massif_moment *m);
void massif_moment_release(struct massif_moment *m);

/* 0, or -errno with a sentence in @e. */
int massif_moment_write(const struct massif_output *o, const struct image *i,
			const struct massif_moment *m, const char *path, struct error *e);

/* Where a file goes that is not named; in the directory in which the session was begun. */
extern const char massif_default_file[];


/* Serve a command of the control socket: a file is written beside the tracing, and its writer
 * answers
 * @to, whose descriptor stays the caller's. @args: "PID [FILE]" */
struct serve;
void massif_command(struct serve *v, enum massif_file_kind kind, const char *args,
		    const struct control_asker *to);

#endif
