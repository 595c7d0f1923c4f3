/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DEBUGINFOD_H
#define MPROF_DEBUGINFOD_H

#include "symbols/symbols.h"

#include <limits.h>

/* Is libdebuginfod there, and whole? It is loaded for that. */
bool debuginfod_available(void);

/**
 * Ask the servers in DEBUGINFOD_URLS for the debug file of a build ID. Without that variable
 * nothing is asked, and libdebuginfod is not even loaded. After DEBUGINFOD_MAXTIME seconds (90 if
 * that is not set), all files of this process together, nothing more is fetched.
 * @module  name of the file it is for, told to how->progress
 * @path    name of the file it was put into, in debuginfod's own cache
 * Returns 0 or -ENOENT. The content is not checked here.
 */
int debuginfod_fetch(const struct symbols_search *how, const char *build_id, const char *module,
		     char path[PATH_MAX]);

#endif
