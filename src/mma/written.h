/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_WRITTEN_H
#define MPROF_MMA_WRITTEN_H

#include "mma/entry.h"

#include <stdbool.h>

/* So many bytes from the beginning of a line on may be looked at, whatever is in them. */
#define MMA_WRITTEN_BYTES 256

/**
 * Read a line that is as mma_format() writes it, which nearly all lines are: all of it in one form,
 * one blank between elements, small letters. About half the work of mma_parse(), and says nothing
 * of what is wrong.
 * @line  MMA_WRITTEN_BYTES may be read from here on
 * @end   set to its newline
 * False: it is not such a line, but may still be one that mma_parse() accepts. *e and *end are
 * undefined then.
 */
bool mma_written(const char *line, const char **end, struct mma_entry *e);

#endif
