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

/**
 * Is what @pattern says somewhere in @text? Every * stands for any characters, ^ at the beginning
 * and $ at the end for the ends of the text.
 * Source: the patterns of suppressions, sanitizer_common's TemplateMatch().
 */
bool glob_finds(const char *pattern, const char *text);

#endif
