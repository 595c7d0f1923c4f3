/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LOAD_RULES_H
#define MPROF_CLI_LOAD_RULES_H

#include "breakpoints/watch.h"
#include "cli/cli.h"

/**
 * What is to be trapped, as the options say. @r is to be released in any case.
 * Returns 0, or STATUS_USAGE or STATUS_FAILED after saying why.
 */
int load_rules(struct rules *r, const struct options *o);

/* At the end of a session: say which hooks and libraries have been found nowhere. */
void say_not_found(const struct rules *r);

/* The same of ifuncs that were chosen before we came, where nothing told what. */
void say_not_resolved(const struct watch_shared *s);

#endif
