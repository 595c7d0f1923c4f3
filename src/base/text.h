/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_TEXT_H
#define MPROF_BASE_TEXT_H

#include "base/idindex.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* What is behind the last slash of a path, or all of it. */
static inline const char *path_last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What is in @text behind @with; NULL: it does not begin with that. As with strchr(3), the result
 * for a const @text belongs in a pointer to const. */
static inline char *text_after(const char *text, const char *with)
{
	size_t n = strlen(with);

	return strncmp(text, with, n) ? NULL : (char *)text + n;
}

static inline bool text_begins(const char *text, const char *with)
{
	return text_after(text, with);
}

/* "1 block", "2 blocks": the ending of the noun. */
static inline const char *text_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* FNV-1a, and its bits spread over the word; @h is the hash of what came before, or any number. */
static inline uint64_t hash_text(uint64_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return hash_mix(h);
}

#endif
