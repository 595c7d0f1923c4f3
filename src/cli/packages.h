/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_PACKAGES_H
#define MPROF_CLI_PACKAGES_H

#include "doctor/packages.h"

#include <stdbool.h>

/* A file of this machine, which lacks lines or types. */
struct packaged {
	const char *path;
	char package[PACKAGE_NAME];	  /* that has installed it; "": none that is known */
	char debug_package[PACKAGE_NAME]; /* that has its debug file, and can be installed; "":
					     none */
};

/* Fill that in. dpkg and apt are asked, once each, about all. False: there was nobody to ask. */
bool packages_ask(struct packaged *v, size_t n);

#endif
