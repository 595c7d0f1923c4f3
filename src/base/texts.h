/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_TEXTS_H
#define MPROF_BASE_TEXTS_H

/* Lists of strings with NULL behind the last, all malloc'ed. */

/* A copy of a list, of which NULL is an empty one; returns NULL: out of memory. */
char **texts_copy(char *const *from);

void texts_free(char **texts);

#endif
