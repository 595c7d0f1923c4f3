/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_WRITTEN_H
#define MPROF_MMA_WRITTEN_H

#include "mma/entry.h"

#include <stdbool.h>

/* So many bytes from the beginning of a line must be readable, whatever they are. */
#define MMA_WRITTEN_BYTES 256

/**
 * Parse a line as mma_format() writes it, which nearly all lines are: all in one form, one blank
 * between elements, lower case. Takes half the time of mma_parse(), and does not report errors.
 * @line  MMA_WRITTEN_BYTES must be readable from here
 * @end   set to its newline
 * False: it is not such a line, but mma_parse() may still accept it. *e and *end are undefined
 * then.
 */
bool mma_written(const char *line, const char **end, struct mma_entry *e);

#endif
