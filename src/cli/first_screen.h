/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FIRST_SCREEN_H
#define MPROF_FIRST_SCREEN_H

#include "cli/cli.h"

/* Print the most important facts of a profile in at most twelve lines, to standard error, where the
 * counts are printed; nothing if nothing is kept. 0 or -ENOMEM. */
int first_screen_say(const struct profile_data *d, const struct options *o);

/* Print the same lines to @out. 0 or -errno. */
int first_screen_print(const struct profile_data *d, const struct options *o, FILE *out);

/* Print only what grew while the process was observed, most growth first. 0 or -errno. */
int first_screen_print_growth(const struct profile_data *d, const struct options *o, FILE *out);

#endif
