/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_NEAREST_H
#define MPROF_BASE_NEAREST_H

#include <stddef.h>

/*
 * Which of the words that there are did somebody mean who wrote another one.
 */

/**
 * How many letters have to be added, left out, exchanged for others or swapped with their
 * neighbours to make one word of the other; no letter is touched twice.
 * Returns UINT_MAX if either is longer than any word of ours.
 */
unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb);

struct nearest {
	const char *word;	/* what was written, @len bytes */
	size_t len;
	const char *best;	/* the best so far; NULL: none is near enough to be suggested */
	unsigned distance;
};

/* Look at one more word that there is. The first of several that are equally near stays. */
void nearest_try(struct nearest *n, const char *candidate);

#endif
