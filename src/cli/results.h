/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_RESULTS_H
#define MPROF_CLI_RESULTS_H

#include "cli/answer.h"
#include "outputs/outputs.h"
#include "outputs/sections.h"
#include "outputs/unsaved.h"

/* What a session tells clients that ask what has come of it. */

/* As a line, and back; @line is without its end and may have anything in it. False: it is no such
 * line. */
void section_write(const struct section *s, FILE *out);
bool section_read(struct section *s, const char *line);

enum results {
	RESULTS,	/* whose each profile is (section_write()), and its file, or where in memory
			   it can be read until the answer has been released if none was wanted;
			   what has failed, what is to be said */
	RESULTS_KEPT,	/* the same of what could not be saved, as long as the session is there; and
			   which files these are */
};

/* What came of output_session(), for mprof detach: @head and lines of control/protocol.h, with
 * absolute paths; the caller's to free(). */
char *results_text(const struct outputs *o, const char *head, enum results what);

/* Those of @files that have been written by now, for who has asked for them to be saved. */
void results_answer_saved(const struct outputs *o, const struct unsaved *files, struct answer *a);

/**
 * What became of the session, for who asks for it when it is over: "ended at ..., and its profile
 * is in ...; cannot write ...", as the rest of a sentence in @e. False: nothing was profiled.
 */
bool results_last_word(const struct outputs *o, struct error *e);

#endif
