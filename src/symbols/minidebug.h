/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MINIDEBUG_H
#define MPROF_MINIDEBUG_H

#include "symbols/objfile.h"

/**
 * Decompress what distributions leave in stripped files: .gnu_debugdata, an ELF file with a symbol
 * table, compressed with xz(1). ("MiniDebugInfo", see the manual of gdb.)
 * Returns 0, or -ENOENT if there is none that can be used, also if it is damaged or unpacks to an
 * unreasonable size.
 */
int minidebug_open(struct objfile *main, struct objfile *mini);

#endif
