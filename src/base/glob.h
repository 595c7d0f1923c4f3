/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_GLOB_H
#define MPROF_BASE_GLOB_H

#include <stdbool.h>

/**
 * Is @text what @pattern says, in which * stands for any characters? Nothing else is special, for
 * names of C++ have brackets and question marks of their own. A * that can only be a pointer's, as
 * in "f(char*)" or "list<int*>", is itself.
 */
bool glob_matches(const char *pattern, const char *text);

#endif
