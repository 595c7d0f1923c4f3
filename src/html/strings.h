/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_STRINGS_H
#define MPROF_HTML_STRINGS_H

#include "base/idindex.h"

#include <stddef.h>

/* Strings by number, each once; not owned. Zeroed at first. */
struct strings {
	const char **v;
	size_t n, cap;
	struct idindex index;
};

#define STRINGS_FULL UINT32_MAX

/* Find or add @text; returns its number, STRINGS_FULL: out of memory. */
uint32_t strings_add(struct strings *s, const char *text);
void strings_release(struct strings *s);

#endif
