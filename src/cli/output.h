/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_OUTPUT_H
#define MPROF_CLI_OUTPUT_H

#include "cli/answer.h"
#include "cli/cli.h"
#include "session/session.h"

/**
 * Before the program is started: can what it will be asked for be written? A sentence has been
 * printed if not. Returns 0 or -errno.
 */
int output_check(const struct options *o);

/**
 * Can this file be written? @what it is goes into the sentence that is printed if not.
 * Returns 0 or -errno.
 */
int output_check_file(const char *path, const char *what);

/**
 * Name what the session has seen, write the data files and print the report: all that has not been
 * written by an earlier try.
 * Returns 0, or -errno after printing what could not be written and why.
 */
int output_session(struct session *s, const struct options *o);

/* Is there a profile, or a massif file, in memory only? After output_session(). */
bool output_unsaved(const struct session *s);

/**
 * Another try for the profiles that are not saved, to @path instead of where the options say; of
 * other processes than the first to @path.PID, as with --data. 0 or -errno, as above.
 */
int output_save_elsewhere(struct session *s, const struct options *o, const char *path);

/**
 * Write one image's profile as it is now, to @path or, if that is NULL, where the options say; then
 * tell @to (NULL: nobody), as a part of the answer. 0 or -errno.
 */
int output_save(const struct session *s, const struct options *o, const struct image *i,
		const char *path, const struct control_asker *to);

enum results {
	RESULTS,	/* whose each profile is (section_write()), and its file; what has failed,
			   what is to be said */
	RESULTS_KEPT,	/* ... and where in memory what has no file can be read as long as the
			   session is there */
};

/**
 * What became of the session, for who asks for it when it is over: "ended at ..., and its profile
 * is in ...", as the rest of a sentence in @e. False: nothing was profiled.
 */
bool output_last_word(const struct session *s, const struct options *o, struct error *e);

/* What came of output_session(), for mprof detach: @head and lines of control/protocol.h, with
 * absolute paths; the caller's to free(). */
char *output_results(const struct session *s, const struct options *o, const char *head,
		     enum results what);

/* The files of the profiles that are written, for who has asked for them to be saved. */
void output_answer_saved(const struct session *s, const struct options *o, struct answer *a);

/**
 * Open a file that is to be written anew. In a directory of other people's, a link could lead us to
 * any file that root may write: if the program is another user's (@foreign), none is followed.
 * Returns a descriptor, or -1 with errno.
 */
int output_open(const char *path, bool foreign);

#endif
