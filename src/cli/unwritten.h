/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_UNWRITTEN_H
#define MPROF_CLI_UNWRITTEN_H

#include <stdio.h>

/*
 * What could not be written, remembered: a session in the background says it to nobody, and whoever
 * asks how it ended is told.
 */

/* Like say(), and remember the sentence. */
__attribute__((format(printf, 1, 2))) void unwritten_say(const char *fmt, ...);

/* How many there are. */
size_t unwritten_count(void);

/* Another try begins: only the first @n are still so. */
void unwritten_forget(size_t n);

/* The one behind the first @n, as far as it is remembered; NULL: there is none. */
const char *unwritten_behind(size_t n);

/* All of them, as far as they are remembered, each on a line behind @mark; and how many more there
 * were. */
void unwritten_print(const char *mark, FILE *out);

#endif
