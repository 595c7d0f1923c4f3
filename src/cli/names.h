/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_NAMES_H
#define MPROF_CLI_NAMES_H

#include "cli/cli.h"
#include "outputs/settings.h"
#include "symbols/symbols.h"

/* Where names are looked for, by the options and by DEBUGINFOD_URLS. Good as long as @o is. */
struct symbols_search names_search(const struct options *o);

/* Of which files it is said where their names came from. */
enum tell_names names_told(const struct options *o);

#endif
