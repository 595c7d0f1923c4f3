/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DEBUGINFOD_H
#define MPROF_DEBUGINFOD_H

#include "symbols/symbols.h"

#include <limits.h>

/* Can libdebuginfod be loaded, and is it complete? Loads it. */
bool debuginfod_available(void);

/**
 * Ask the servers in DEBUGINFOD_URLS for the debug file of a build ID. Without that variable
 * no server is asked, and libdebuginfod is not loaded. After DEBUGINFOD_MAXTIME seconds (90 if
 * that is not set), for all files of this process together, nothing more is fetched.
 * @module  name of the file it is for, for how->progress
 * @path    set to the name of the file it was put into, in debuginfod's own cache
 * Returns 0 or -ENOENT. The content is not checked here.
 */
int debuginfod_fetch(const struct symbols_search *how, const char *build_id, const char *module,
		     char path[PATH_MAX]);

#endif
