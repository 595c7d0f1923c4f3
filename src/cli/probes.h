/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_PROBES_H
#define MPROF_CLI_PROBES_H

#include "cli/options.h"

#include <sys/types.h>

/* True if a process has any allocator's function that would be trapped. */
bool probes_any(const struct options *o, pid_t pid);

#endif
