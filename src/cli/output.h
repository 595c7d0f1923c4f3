/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_OUTPUT_H
#define MPROF_CLI_OUTPUT_H

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
 * Name what the session has seen, write the data files and print the report.
 * Returns 0, or -errno after printing what could not be written and why.
 */
int output_session(const struct session *s, const struct options *o);

/**
 * Write one image's profile as it is now, to @path or, if that is NULL, where the options say; then
 * tell the client behind @answer_fd (-1: nobody). 0 or -errno.
 */
int output_save(const struct session *s, const struct options *o, const struct image *i,
		const char *path, int answer_fd);

/* Lines "data PATH\n", absolute, for each profile that was written, and "said SENTENCE\n" for what else is to
 * be known of them; the caller's to free(). */
char *output_data_names(const struct session *s, const struct options *o);

/**
 * Open a file that is to be written anew. In a directory of other people's, a link could lead us to any
 * file that root may write: if the program is another user's (@foreign), none is followed.
 * Returns a descriptor, or -1 with errno.
 */
int output_open(const char *path, bool foreign);

#endif
