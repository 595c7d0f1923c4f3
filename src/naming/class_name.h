/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_CLASS_NAME_H
#define MPROF_NAMING_CLASS_NAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How a class is printed: std::make_shared() allocates a class of the C++ library, which contains a
 * count and the object. It is printed as "T (make_shared)".
 * @name  readable, as from symbols_type_name()
 * Writes it to @out, as much as fits.
 */
void class_name(const char *name, char *out, size_t size);

#endif
