/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_MASSIF_REPORT_H
#define MPROF_CLI_MASSIF_REPORT_H

#include "cli/cli.h"

/* Whether there is a file that is not an mprof data file, as its first bytes tell. */
bool is_massif_file(const char *path);

/* Print a massif file as ms_print does, where the options say. An exit status; what failed is said. */
int massif_report(const char *path, const struct options *o);

#endif
