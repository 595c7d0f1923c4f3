/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_TEXT_H
#define MPROF_BASE_TEXT_H

#include "base/idindex.h"

#include <string.h>

/* What is behind the last slash of a path, or all of it. */
static inline const char *path_last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* FNV-1a, and its bits spread over the word; @h is the hash of what came before, or any number. */
static inline uint64_t hash_text(uint64_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return hash_mix(h);
}

#endif
