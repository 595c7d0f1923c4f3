/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FIRST_SCREEN_H
#define MPROF_FIRST_SCREEN_H

#include "cli/cli.h"

/* What matters first of a profile, in at most twelve lines: on standard error, where the counts are
 * said; nothing if nothing is kept. 0 or -ENOMEM. */
int first_screen_say(const struct profile_data *d, const struct options *o);

/* The same lines alone, to @out. 0 or -errno. */
int first_screen_print(const struct profile_data *d, const struct options *o, FILE *out);

/* What grew while the process was watched, most growth first, and nothing else. 0 or -errno. */
int first_screen_print_growth(const struct profile_data *d, const struct options *o, FILE *out);

#endif
