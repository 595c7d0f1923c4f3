/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_CLASS_NAME_H
#define MPROF_NAMING_CLASS_NAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How a class is shown: what std::make_shared() makes is of a class of the C++ library, with the
 * count and the object in it; people know it as "T (make_shared)".
 * @name  readable, as symbols_type_name() has it
 * Writes it to @out, as much as fits.
 */
void class_name(const char *name, char *out, size_t size);

#endif
