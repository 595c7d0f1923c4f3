/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LOGS_H
#define MPROF_CLI_LOGS_H

#include "mma/log.h"

/* What has been printed is of what was whole. */
void logs_say_truncated(const char *name, const struct mma_log *log);

#endif
