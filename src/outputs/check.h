/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_CHECK_H
#define MPROF_OUTPUTS_CHECK_H

#include "base/say.h"
#include "outputs/settings.h"

/**
 * Before the program is started: check that all files of the session can be written. If not, a
 * sentence has been said. Returns 0 or -errno.
 */
int output_check(const struct output_settings *o, say_fn *say);

/**
 * Check that a file can be replaced as a whole: written beside it and renamed.
 * Returns as output_check_file().
 */
int output_check_replaced(const char *path, const char *what, say_fn *say);

/**
 * Check that a file can be written. @what it is goes into the sentence that is said if not.
 * Returns 0 or -errno.
 */
int output_check_file(const char *path, const char *what, say_fn *say);

#endif
