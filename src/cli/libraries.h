/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LIBRARIES_H
#define MPROF_CLI_LIBRARIES_H

#include "proc/modules.h"
#include "base/error.h"

#include <limits.h>

/**
 * List a program's file and the libraries that it would be started with, including LD_PRELOAD, in
 * the order of the dynamic linker. The dynamic linker is run for that, as by ldd(1), but not the
 * program. Files that cannot be opened are left out.
 * Returns 0, or -errno with a sentence in @e; -ELIBBAD: the program could not be loaded; -ENOEXEC:
 * the dynamic linker has not said why.
 */
int libraries_of(const char *path, struct module_files *files, struct error *e);

/* The dynamic linker that the program open as @fd asks for; "": none. */
void libraries_interpreter(int fd, char interp[PATH_MAX]);

#endif
