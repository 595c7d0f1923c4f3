/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_UNWRITTEN_H
#define MPROF_OUTPUTS_UNWRITTEN_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

/*
 * What could not be written, remembered: a session in the background says it to nobody, and whoever
 * asks how it ended is told.
 */

/* A group may have thousands of processes, and a full disk one sentence for each. */
enum { UNWRITTEN_REMEMBERED = 16 }; /* the last of them is the newest */

struct unwritten {
	struct error sentences[UNWRITTEN_REMEMBERED];
	size_t n;	/* also of those that are not remembered */
};

void unwritten_remember(struct unwritten *u, const char *sentence);

/* Another try begins: only the first @n are still so. */
void unwritten_forget(struct unwritten *u, size_t n);

/* The one behind the first @n, as far as it is remembered; NULL: there is none. */
const char *unwritten_behind(const struct unwritten *u, size_t n);

/* All of them, as far as they are remembered, each on a line behind @mark; and how many more there
 * were. */
void unwritten_print(const struct unwritten *u, const char *mark, FILE *out);

#endif
