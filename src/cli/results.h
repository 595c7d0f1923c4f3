/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_RESULTS_H
#define MPROF_CLI_RESULTS_H

#include "cli/answer.h"
#include "outputs/outputs.h"
#include "outputs/sections.h"

/* What a session tells clients that ask what has come of it. */

/* As a line, and back; @line is without its end and may have anything in it. False: it is no such
 * line. */
void section_write(const struct section *s, FILE *out);
bool section_read(struct section *s, const char *line);

enum results {
	RESULTS,	/* whose each profile is (section_write()), and its file; what has failed,
			   what is to be said */
	RESULTS_KEPT,	/* ... and where in memory what has no file can be read as long as the
			   session is there */
};

/* What came of output_session(), for mprof detach: @head and lines of control/protocol.h, with
 * absolute paths; the caller's to free(). */
char *results_text(const struct outputs *o, const char *head, enum results what);

/* The files of the profiles that are written, for who has asked for them to be saved. */
void results_answer_saved(const struct outputs *o, struct answer *a);

/**
 * What became of the session, for who asks for it when it is over: "ended at ..., and its profile
 * is in ...", as the rest of a sentence in @e. False: nothing was profiled.
 */
bool results_last_word(const struct outputs *o, struct error *e);

#endif
