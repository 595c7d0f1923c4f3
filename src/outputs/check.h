/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_CHECK_H
#define MPROF_OUTPUTS_CHECK_H

#include "base/say.h"
#include "outputs/settings.h"

/**
 * Before the program is started: can what it will be asked for be written? A sentence has been
 * said if not. Returns 0 or -errno.
 */
int output_check(const struct output_settings *o, say_fn *say);

/**
 * Can this file be replaced as a whole, which is written beside it and renamed?
 * Returns as below.
 */
int output_check_replaced(const char *path, const char *what, say_fn *say);

/**
 * Can this file be written? @what it is goes into the sentence that is said if not.
 * Returns 0 or -errno.
 */
int output_check_file(const char *path, const char *what, say_fn *say);

#endif
