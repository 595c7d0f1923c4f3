/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/nearest.h"

#include <limits.h>
#include <string.h>

enum {
	LONGEST = 64,
	SHORTEST_BEGINNING = 3,	/* a letter or two begin too many words */
};

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned d[LONGEST + 1][LONGEST + 1]; /* between the first i letters of @a and the first k
					         of @b */

	if (na > LONGEST || nb > LONGEST)
		return UINT_MAX;
	for (size_t k = 0; k <= nb; k++)
		d[0][k] = (unsigned)k;
	for (size_t i = 1; i <= na; i++) {
		d[i][0] = (unsigned)i;
		for (size_t k = 1; k <= nb; k++) {
			d[i][k] = least(d[i - 1][k], d[i][k - 1]) + 1;
			d[i][k] = least(d[i][k], d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
		}
	}
	return d[na][nb];
}

/* A word whose end is missing counts as one mistake, however much is missing. */
static unsigned distance_to(const struct nearest *n, const char *candidate, size_t len)
{
	if (n->len >= SHORTEST_BEGINNING && n->len < len && !strncmp(n->word, candidate, n->len))
		return 1;
	return edit_distance(n->word, n->len, candidate, len);
}

void nearest_try(struct nearest *n, const char *candidate)
{
	size_t len = strlen(candidate), longer = n->len > len ? n->len : len;
	unsigned distance = distance_to(n, candidate, len);

	/* With more than a third of it wrong it is another word. */
	if (distance > longer / 3 || (n->best && distance >= n->distance))
		return;
	n->best = candidate;
	n->distance = distance;
}
