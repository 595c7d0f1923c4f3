/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SHORTNAME_H
#define MPROF_SHORTNAME_H

#include <stdbool.h>
#include <stddef.h>

/**
 * A function's name without template arguments, parameters and return type: "ns::any" for
 * "void ns::any<long>(long)". What tells functions apart stays: "operator<", "{lambda#1}",
 * "(anonymous namespace)", "<Foo as Display>::fmt".
 * @linkage  its name in the symbol table, NULL if that is the same as @name
 * @name     its name for people
 * @out, @size  where the result goes; always terminated; never longer than the whole name
 * Safe for any string. A name that does not fit or makes no sense is left as it is, as far as it
 * fits.
 */
void shortname(const char *linkage, const char *name, char *out, size_t size);

/* Does @pattern (base/glob.h) stand for a function's @name for people, or for its short one?
 * @linkage: as above. */
bool shortname_matches(const char *pattern, const char *linkage, const char *name);

#endif
