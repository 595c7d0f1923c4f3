/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_VIEWED_H
#define MPROF_CLI_VIEWED_H

#include "cli/cli.h"
#include "profile/profile_data.h"

/* A data file, named again if the options say so; *renamed: it has been. NULL: a sentence has been
 * printed. */
struct profile_data *read_named(const char *path, const struct options *o, bool *renamed);

/* The same as the options want to see it. */
struct profile_data *read_viewed(const char *path, const struct options *o);

#endif
