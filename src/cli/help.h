/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_HELP_H
#define MPROF_CLI_HELP_H

#include "base/nearest.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The help of a command: what it does, and the options that it takes. NULL: of all of mprof. False:
 * there is no such command. */
bool help_print(const char *command, FILE *out);

/* The @i-th command; *flags: for whom the options are that it takes. NULL: there are fewer. */
const char *help_command(size_t i, uint64_t *flags);

/* Is one of our commands the nearest? */
void help_try_commands(struct nearest *n);

#endif
