/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_NEAREST_H
#define MPROF_BASE_NEAREST_H

#include <stddef.h>

/*
 * Finds the known word that a person probably meant who has written an unknown one.
 */

/**
 * The edit distance of two words: how many letters have to be added, removed, replaced or swapped
 * with their neighbours to make one word of the other; no letter is changed twice. Returns UINT_MAX
 * if either is longer than any word of ours.
 */
unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb);

struct nearest {
	const char *word;	/* what was written, @len bytes */
	size_t len;
	const char *best;	/* the best so far; NULL: none is near enough to be suggested */
	unsigned distance;
};

/* Try one more known word. Of several that are equally near the first is kept. */
void nearest_try(struct nearest *n, const char *candidate);

#endif
