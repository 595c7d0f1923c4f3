/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_LEFT_H
#define MPROF_BREAKPOINTS_LEFT_H

#include "base/error.h"
#include "breakpoints/watch_internal.h"

/* What a person is told of functions that an engine has left to traps, @n of them, at least one:
 * how many there are, and by reasons, in the order in which these first occur, which. */
void left_sentence(const struct left_function *v, size_t n, struct error *out);

#endif
