/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_WHERE_H
#define MPROF_NAMING_WHERE_H

#include "profile/profile_data.h"

enum { WHERE_FUNCTION = 61 }; /* names of C++ may be longer than the screen is wide */

/* The short name of the function that a place is in; returns @name. Like where_text(), not made
 * harmless for a terminal. */
const char *where_function(const struct profile_data *d, uint32_t site, char name[WHERE_FUNCTION]);

/**
 * Where a place in the program is, for people: "lose (patterns.c:57)", or without a line the
 * function and its module. Not made harmless for a terminal.
 * @site  of @d, or PD_NONE
 * Returns it, for free(), or NULL: out of memory.
 */
char *where_text(const struct profile_data *d, uint32_t site);

#endif
