/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_LINE_H
#define MPROF_BASE_LINE_H

#include <stdio.h>
#include <sys/types.h>

/* A line of a text is not longer. */
enum { LINE_LONGEST = 16 << 20 };

/**
 * As getline(3), of a file that may be anything: a device without an end, or a hole of a terabyte.
 * Returns how many bytes the line has, with its '\n' if there is one; 0: there is none any more;
 * -EILSEQ, it has a zero byte, which no text has; -EMSGSIZE, it is longer than LINE_LONGEST;
 * -ENOMEM; or -errno of reading.
 */
ssize_t line_next(char **line, size_t *cap, FILE *in);

#endif
