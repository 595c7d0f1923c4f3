/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DOCTOR_PACKAGES_H
#define MPROF_DOCTOR_PACKAGES_H

#include <stdbool.h>
#include <stddef.h>

/* What Debian's tools say of packages, as lines. No name comes from anywhere else. */

enum { PACKAGE_NAME = 128 };

/**
 * "PACKAGE[:ARCH][, PACKAGE...]: PATH" of dpkg-query -S, without its end.
 * @name  set to the first of the packages, without its architecture
 * Returns the path, a part of @line; NULL: it is no such line.
 */
const char *package_owner(const char *line, char name[PACKAGE_NAME]);

/* "Package: NAME" of apt-cache show. False: it is another line. */
bool package_offered(const char *line, char name[PACKAGE_NAME]);

/* A name that a package with the debug files of @package may have; apt is to be asked whether there
 * is such one. False: there is no @nth. */
bool package_debug_name(const char *package, size_t nth, char name[PACKAGE_NAME]);

/* How dpkg may have a path, whose folders /lib and /usr/lib are the same on a merged system; @nth:
 * 0 is @path itself. False: there is no other, or dpkg would take it for a pattern. */
bool package_path(const char *path, size_t nth, char *out, size_t size);

#endif
