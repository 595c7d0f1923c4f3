/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_SCREEN_H
#define MPROF_CLI_SCREEN_H

#include "cli/cli.h"

#include <stdbool.h>
#include <stdio.h>

/* What a person reads the report on: a terminal, or a pager in front of one. */

/* Does a person read what is printed to @out? */
bool screen_shows(FILE *out);

/* How wide tables on @out are, and whether they have colours, as the options, the terminal and the
 * variables NO_COLOR and TERM say. */
void screen_fit(struct report_options *r, const struct options *o, FILE *out);

/**
 * Show what is printed from now on by $MPROF_PAGER, $PAGER or less, if standard output is a
 * terminal and the options do not say otherwise; standard error, too, if that is one. As git(1)
 * does it: "cat" or nothing is none, and less ends at once if all fits on a screen.
 */
void screen_begin_pager(const struct options *o);

/* All has been printed: wait until the pager has been left. */
void screen_end_pager(void);

#endif
