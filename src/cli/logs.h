/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LOGS_H
#define MPROF_CLI_LOGS_H

#include "mma/log.h"

/* Say that the log was cut off, and that the output is from the entries before that. */
void logs_say_truncated(const char *name, const struct mma_log *log);

#endif
