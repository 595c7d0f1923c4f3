/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_MASSIF_REPORT_H
#define MPROF_CLI_MASSIF_REPORT_H

#include "cli/cli.h"
#include "profile/profile_data.h"

#include <stdio.h>

/* True if there is a file that is not a data file of mprof, judging by its first bytes. */
bool is_massif_file(const char *path);

/* Print the timeline of a profile as a massif file, or as ms_print prints that. 0 or -errno. */
int massif_report_data(const struct profile_data *d, const struct options *o, FILE *out);

/* Print a massif file as ms_print does, to where the options say. An exit status; errors have been
 * said. */
int massif_report(const char *path, const struct options *o);

#endif
