/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_VIEWED_H
#define MPROF_CLI_VIEWED_H

#include "cli/cli.h"
#include "profile/profile_data.h"

/* Read a data file, with names looked up again if the options say so; *renamed: they were. NULL: a
 * sentence has been printed. */
struct profile_data *read_named(const char *path, const struct options *o, bool *renamed);

/* The same, without what the options leave out. Also says what was not observed. */
struct profile_data *read_viewed(const char *path, const struct options *o);

#endif
