/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_NAMESOURCE_H
#define MPROF_BASE_NAMESOURCE_H

#include "base/text.h"

/*
 * @source says for people where the names of a file came from: "DWARF in FILE", ".dynsym", "DWARF;
 * its split DWARF is missing". True: all that there can be is there: lines, types and inlined
 * functions.
 */
static inline bool namesource_is_whole(const char *source)
{
	return text_begins(source, "DWARF") && !strchr(source, ';');
}

/* How it begins for a file whose reader did not finish: how the reader ended follows. */
#define NAMESOURCE_UNREAD "none; reading it "

#endif
