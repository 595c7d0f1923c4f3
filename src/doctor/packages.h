/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DOCTOR_PACKAGES_H
#define MPROF_DOCTOR_PACKAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Parses the output of Debian's package tools, as lines. Package names come from nowhere else. */

enum { PACKAGE_NAME = 128 };

/**
 * Parse a line "PACKAGE[:ARCH][, PACKAGE...]: PATH" of dpkg-query -S, without its newline.
 * @name  set to the first of the packages, without its architecture
 * Returns the path, a part of @line; NULL: it is no such line.
 */
const char *package_owner(const char *line, char name[PACKAGE_NAME]);

/* Parse "Package: NAME" of apt-cache show. False: it is another line. */
bool package_offered(const char *line, char name[PACKAGE_NAME]);

/* The @nth name that the debug package of @package may have; ask apt whether it exists. False:
 * there is no @nth. */
bool package_debug_name(const char *package, size_t nth, char name[PACKAGE_NAME]);

/* A path as dpkg may have recorded it: on a system with merged /usr, /lib is also /usr/lib. @nth 0
 * is @path itself. False: there is no @nth, or dpkg would take it for a pattern. */
bool package_path(const char *path, size_t nth, char *out, size_t size);

#endif
