/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DEBUGFILE_H
#define MPROF_DEBUGFILE_H

#include "symbols/objfile.h"

#include <elfutils/libdw.h>
#include <limits.h>

/**
 * Look for the separate debug file of a module: by build ID below /usr/lib/debug, then the file
 * named in .gnu_debuglink beside the module, in .debug/ there, and below /usr/lib/debug.
 * @main       the module     @main_id  its build ID, "" if none
 * @main_path  its name       @found    the debug file's name
 * A file with another build ID is never taken; if the module has no build ID, the checksum of
 * .gnu_debuglink decides. Returns 0 or -ENOENT. Nothing is ever fetched over a network.
 */
int debugfile_find(struct objfile *main, const char *main_id, const char *main_path,
		   struct objfile *debug, char found[PATH_MAX]);

/**
 * The file that dwz(1) moved common parts of @dwarf to (.gnu_debugaltlink), same rules.
 * @path  name of the file @dwarf is in
 */
int debugfile_find_alt(Dwarf *dwarf, const char *path, struct objfile *alt);

#endif
