/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_PACKAGES_H
#define MPROF_CLI_PACKAGES_H

#include "doctor/packages.h"

#include <stdbool.h>

/* A file on this machine that lacks lines or types. */
struct packaged {
	const char *path;
	char package[PACKAGE_NAME];	  /* the package that installed it; "": unknown */
	char debug_package[PACKAGE_NAME]; /* an installable package that has its debug file; "":
					     none */
};

/* Fill in the packages. dpkg and apt are run once each, for all files. False: they cannot be
 * run. */
bool packages_ask(struct packaged *v, size_t n);

#endif
