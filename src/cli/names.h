/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_NAMES_H
#define MPROF_CLI_NAMES_H

#include "cli/cli.h"
#include "outputs/settings.h"
#include "symbols/symbols.h"

/* Where names are searched for, by the options and DEBUGINFOD_URLS. Points into @o. */
struct symbols_search names_search(const struct options *o);

/* For which files the source of their names is told. */
enum tell_names names_told(const struct options *o);

#endif
