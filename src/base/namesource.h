/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_NAMESOURCE_H
#define MPROF_BASE_NAMESOURCE_H

#include "base/text.h"

/*
 * A line for a person tells where the names of a file came from: "DWARF in FILE", ".dynsym",
 * "DWARF; its split DWARF is missing". True: nothing is missing of what there could be: lines,
 * types, and what was inlined.
 */
static inline bool namesource_is_whole(const char *source)
{
	return text_begins(source, "DWARF") && !strchr(source, ';');
}

/* How it begins of a file whose reader came to an end that is none: what that was follows. */
#define NAMESOURCE_UNREAD "none; reading it "

#endif
