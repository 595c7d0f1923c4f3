/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/unwritten.h"

void unwritten_remember(struct unwritten *u, const char *sentence)
{
	size_t at = u->n < UNWRITTEN_REMEMBERED ? u->n : UNWRITTEN_REMEMBERED - 1;

	error_set(&u->sentences[at], 0, "%s", sentence);
	u->n++;
}

void unwritten_forget(struct unwritten *u, size_t n)
{
	u->n = n;
}

const char *unwritten_behind(const struct unwritten *u, size_t n)
{
	if (n >= u->n)
		return NULL;
	return u->sentences[n < UNWRITTEN_REMEMBERED ? n : UNWRITTEN_REMEMBERED - 1].text;
}

void unwritten_print(const struct unwritten *u, const char *mark, FILE *out)
{
	for (size_t i = 0; i < u->n && i < UNWRITTEN_REMEMBERED; i++)
		fprintf(out, "%s%s\n", mark, u->sentences[i].text);
	if (u->n > UNWRITTEN_REMEMBERED)
		fprintf(out, "%sand %zu more\n", mark, u->n - UNWRITTEN_REMEMBERED);
}
