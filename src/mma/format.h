/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_FORMAT_H
#define MPROF_MMA_FORMAT_H

#include "mma/entry.h"

#include <stdbool.h>
#include <stddef.h>

/* Longest line of a log, including its newline. */
#define MMA_LINE_MAX 192

/**
 * Format an entry as a line of a log, with its newline and without a NUL.
 * @out  the caller's, MMA_LINE_MAX bytes
 * Returns the length.
 */
size_t mma_format(const struct mma_entry *e, bool humanized, char *out);

#endif
