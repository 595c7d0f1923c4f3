/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DROPPEDLINES_H
#define MPROF_DROPPEDLINES_H

#include "symbols/objfile.h"

/**
 * Move the lines of functions that the linker has dropped (--gc-sections) to addresses without
 * code, in libelf's copy of .debug_line. The linker leaves them in the table, at address 0, and
 * libdw sorts all lines of a unit by address: in a library or PIE, which is linked to low
 * addresses, they would come between the lines of other functions. Call before libdw reads @o.
 */
void droppedlines_move(struct objfile *o);

#endif
