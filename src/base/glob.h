/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_GLOB_H
#define MPROF_BASE_GLOB_H

#include <stdbool.h>

/**
 * Does @text match @pattern, in which * stands for any characters? Nothing else is special, as C++
 * names contain brackets and question marks. A * that can only be a pointer's, as in "f(char*)" or
 * "list<int*>", stands for itself.
 */
bool glob_matches(const char *pattern, const char *text);

/**
 * Does @pattern match anywhere in @text? Every * stands for any characters; ^ at the beginning and
 * $ at the end stand for the ends of the text.
 * Source: the patterns of suppressions, sanitizer_common's TemplateMatch().
 */
bool glob_finds(const char *pattern, const char *text);

#endif
