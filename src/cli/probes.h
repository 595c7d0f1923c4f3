/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_PROBES_H
#define MPROF_CLI_PROBES_H

#include "cli/options.h"

#include <sys/types.h>

/* Is there a function in a process that would be trapped, and tells of memory? */
bool probes_any(const struct options *o, pid_t pid);

#endif
