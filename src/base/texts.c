/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/texts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

char **texts_copy(char *const *from)
{
	size_t n = 0;

	while (from && from[n])
		n++;
	char **copy = calloc(n + 1, sizeof *copy);
	for (size_t i = 0; copy && i < n; i++) {
		copy[i] = strdup(from[i]);
		if (!copy[i]) {
			texts_free(copy);
			return NULL;
		}
	}
	return copy;
}

void texts_free(char **texts)
{
	for (char **t = texts; t && *t; t++)
		free(*t);
	free(texts);
}
