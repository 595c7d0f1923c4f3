/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_HELP_H
#define MPROF_CLI_HELP_H

#include "base/nearest.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Print the help of a command: what it does, and its options. NULL: of mprof as a whole. False:
 * there is no such command. */
bool help_print(const char *command, FILE *out);

/* The name of command number @i; *flags: FOR_... of its options. NULL: there are no more. */
const char *help_command(size_t i, uint64_t *flags);

/* Add our commands as candidates. */
void help_try_commands(struct nearest *n);

#endif
