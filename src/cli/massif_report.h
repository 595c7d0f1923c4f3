/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_MASSIF_REPORT_H
#define MPROF_CLI_MASSIF_REPORT_H

#include "cli/cli.h"
#include "profile/profile_data.h"

#include <stdio.h>

/* Whether there is a file that is not an mprof data file, as its first bytes tell. */
bool is_massif_file(const char *path);

/* The timeline of a profile as a massif file, or that as ms_print prints it. 0 or -errno. */
int massif_report_data(const struct profile_data *d, const struct options *o, FILE *out);

/* Print a massif file as ms_print does, where the options say. An exit status; what failed is
 * said. */
int massif_report(const char *path, const struct options *o);

#endif
