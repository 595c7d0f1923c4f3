/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SHORTNAME_H
#define MPROF_SHORTNAME_H

#include <stdbool.h>
#include <stddef.h>

/**
 * A function's name without template arguments, parameters and return type: "ns::any" for
 * "void ns::any<long>(long)". What makes functions different stays: "operator<",
 * "{lambda(int)#1}", "(anonymous namespace)", "<Foo as Display>::fmt".
 * @linkage  its name in the symbol table, NULL if that is the same as @name
 * @name     its name for people
 * @out, @size  where the result goes; always terminated; never longer than the whole name
 * Safe for any string. A name that does not fit or cannot be parsed is copied as far as it
 * fits.
 */
void shortname(const char *linkage, const char *name, char *out, size_t size);

/* Does @pattern (base/glob.h) match a function's @name for people, or its short one?
 * @linkage: as above. */
bool shortname_matches(const char *pattern, const char *linkage, const char *name);

#endif
