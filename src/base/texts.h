/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_TEXTS_H
#define MPROF_BASE_TEXTS_H

/* Lists of strings with NULL behind the last, all malloc'ed. */

/* A copy, NULL being a list of none; NULL: out of memory. */
char **texts_copy(char *const *from);

void texts_free(char **texts);

#endif
