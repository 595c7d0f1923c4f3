/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_UNWRITTEN_H
#define MPROF_OUTPUTS_UNWRITTEN_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

/*
 * Sentences on what could not be written, kept for clients that ask how the session ended: a
 * session in the background cannot print them.
 */

/* A group may have thousands of processes, and a full disk causes a sentence for each. */
enum { UNWRITTEN_REMEMBERED = 16 }; /* the last one is replaced by newer ones */

struct unwritten {
	struct error sentences[UNWRITTEN_REMEMBERED];
	size_t n;	/* includes those that are not remembered */
};

/* Add a copy of a sentence. */
void unwritten_remember(struct unwritten *u, const char *sentence);

/* Before another try: drop all but the first @n. */
void unwritten_forget(struct unwritten *u, size_t n);

/* The sentence after the first @n, if it is remembered; NULL: there is none. */
const char *unwritten_behind(const struct unwritten *u, size_t n);

/* Print those that are remembered, each on a line after @mark; and the number of the others. */
void unwritten_print(const struct unwritten *u, const char *mark, FILE *out);

#endif
