/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_SCREEN_H
#define MPROF_CLI_SCREEN_H

#include "cli/cli.h"

#include <stdbool.h>
#include <stdio.h>

/* Where a person reads the report: on a terminal, or in a pager. */

/* True if a person reads what is printed to @out. */
bool screen_shows(FILE *out);

/* Set the width of tables on @out, and whether they have colours, by the options, the terminal and
 * the variables NO_COLOR and TERM. */
void screen_fit(struct report_options *r, const struct options *o, FILE *out);

/**
 * Show what is printed from now on in $MPROF_PAGER, $PAGER or less, if standard output is a
 * terminal and the options do not forbid it; standard error, too, if that is a terminal. As in
 * git(1), "cat" or an empty value means none, and less ends at once if all fits on a screen.
 */
void screen_begin_pager(const struct options *o);

/* All has been printed: wait until the user has left the pager. */
void screen_end_pager(void);

#endif
