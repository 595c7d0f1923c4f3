/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_LEFT_H
#define MPROF_BREAKPOINTS_LEFT_H

#include "base/error.h"
#include "breakpoints/watch_internal.h"

/* The sentence about the @n functions, at least one, that an engine has left to traps: their
 * number, and their names grouped by reason, in the order in which reasons first occur. */
void left_sentence(const struct left_function *v, size_t n, struct error *out);

#endif
