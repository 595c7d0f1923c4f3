/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LOAD_RULES_H
#define MPROF_CLI_LOAD_RULES_H

#include "breakpoints/watch.h"
#include "cli/cli.h"

/**
 * Load what is to be trapped, as the options say. Release @r in any case.
 * Returns 0, or STATUS_USAGE or STATUS_FAILED after saying why.
 */
int load_rules(struct rules *r, const struct options *o);

/* At the end of a session: say which hooks and libraries were not found in any file. */
void say_not_found(const struct rules *r);

/* The same for ifuncs that were resolved before we attached, to an unknown function. */
void say_not_resolved(const struct watch_shared *s);

#endif
