/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_LINE_H
#define MPROF_BASE_LINE_H

#include <stdio.h>
#include <sys/types.h>

/* No line of a text is longer, in bytes. */
enum { LINE_LONGEST = 16 << 20 };

/**
 * As getline(3), but safe for a file that may be anything: a device without an end, or a hole of a
 * terabyte.
 * Returns how many bytes the line has, with its '\n' if there is one; 0: there are no more;
 * -EILSEQ, it has a NUL, which no text has; -EMSGSIZE, it is longer than LINE_LONGEST; -ENOMEM; or
 * -errno of reading.
 */
ssize_t line_next(char **line, size_t *cap, FILE *in);

#endif
