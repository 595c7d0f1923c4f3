/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LIBRARIES_H
#define MPROF_CLI_LIBRARIES_H

#include "proc/modules.h"
#include "base/error.h"

#include <limits.h>

/**
 * A program's file, then the libraries it would be started with, LD_PRELOAD among them, in the
 * order of its dynamic linker; that one is asked (as ldd(1) does), the program does not run. What
 * cannot be opened is left out.
 * Returns 0, or -errno with a sentence in @e; -ELIBBAD: the program could not be loaded; -ENOEXEC:
 * the dynamic linker has not even said why.
 */
int libraries_of(const char *path, struct module_files *files, struct error *e);

/* The dynamic linker that the program open as @fd asks for; "" if for none. */
void libraries_interpreter(int fd, char interp[PATH_MAX]);

#endif
