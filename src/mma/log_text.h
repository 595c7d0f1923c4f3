/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_LOG_TEXT_H
#define MPROF_MMA_LOG_TEXT_H

#include "mma/log.h"

#include <stdio.h>

enum mma_form {
	MMA_PLAIN,
	MMA_HUMANIZED,
	MMA_JSON,	/* one object per line */
};

/**
 * Print logs, merged by time, to @out; compressed if @name (NULL: it has none) ends in ".zst".
 * Returns 0, -ENOMEM, or -errno of what could not be written.
 */
int mma_log_print(const struct mma_log *logs, size_t n, enum mma_form form, const char *name,
		  FILE *out);

#endif
