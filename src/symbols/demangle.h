/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DEMANGLE_H
#define MPROF_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * The name as the programmer wrote it, C++ (with parameters) and Rust.
 * @out, @size  where it goes; a longer name counts as not mangled
 * Returns whether @linkage is a mangled name; if not, @out is not written.
 * Safe for any string: time and memory are bounded by @size.
 */
bool demangle(const char *linkage, char *out, size_t size);

/**
 * The same without any types: no return type, no parameters, no template arguments, not even in
 * enclosing functions. Only lambdas keep their parameters, to which their numbers belong:
 * {lambda(int)#1}. @linkage may end in suffixes that demangle_stem() cuts off. Returns and is safe
 * as above.
 */
bool demangle_bare(const char *linkage, char *out, size_t size);

/**
 * The length of the function's own name in a symbol: without "@VERSION" and without what compilers
 * append for the copies and parts they make (".constprop.0", ".cold", ".lto_priv.3").
 * @cold  set to whether one of these is ".cold"; may be NULL
 * Returns the length, or that of the whole name if nothing would be left.
 */
size_t demangle_stem(const char *symbol, bool *cold);

#endif
