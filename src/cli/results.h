/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_RESULTS_H
#define MPROF_CLI_RESULTS_H

#include "cli/answer.h"
#include "outputs/outputs.h"
#include "outputs/sections.h"
#include "outputs/unsaved.h"

/* What a session tells clients about its results. */

/* Write as a line, and parse; @line is without its newline and untrusted. False: it is no such
 * line. */
void section_write(const struct section *s, FILE *out);
bool section_read(struct section *s, const char *line);

enum results {
	RESULTS,	/* the process of each profile (section_write()), and its file or, if none
			   was wanted, where in memory it can be read until the answer is released;
			   what failed, and what is to be said */
	RESULTS_KEPT,	/* the same for what could not be saved, as long as the session stays; and
			   the names of the files */
};

/* The result of output_session(), for mprof detach: @head and lines of control/protocol.h, with
 * absolute paths; for the caller to free(). */
char *results_text(const struct outputs *o, const char *head, enum results what);

/* Add those of @files that have been written by now, for a client that has asked for it. */
void results_answer_saved(const struct outputs *o, const struct unsaved *files, struct answer *a);

/**
 * What became of the session, for clients that ask after its end: "ended at ..., and its profile is
 * in ...; cannot write ...", as the rest of a sentence in @e. False: nothing was profiled.
 */
bool results_last_word(const struct outputs *o, struct error *e);

#endif
