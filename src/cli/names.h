/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_NAMES_H
#define MPROF_CLI_NAMES_H

#include "cli/cli.h"
#include "symbols/symbols.h"

/* Where names are looked for, by the options and by DEBUGINFOD_URLS. Good as long as @o is. */
struct symbols_search names_search(const struct options *o);

/* What the tables have no column for, on standard error: where the names came from, by module. */
void names_say(const struct profile_data *d);

/* When the peak was and how high; nothing if that is not known. */
void names_say_peak(const struct profile_data *d);

/* Why chains are truncated, and how many were followed by guessing; nothing if none is. */
void names_say_chains(const struct profile_data *d);

/* If only requests of some sizes were recorded. */
void names_say_sizes(const struct profile_data *d);

#endif
