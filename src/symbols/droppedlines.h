/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DROPPEDLINES_H
#define MPROF_DROPPEDLINES_H

#include "symbols/objfile.h"

/**
 * A link editor that drops a function leaves its lines in the table, as those of code at address 0.
 * libdw sorts all lines of a unit by address: in a file that is linked to low addresses, as a
 * library is, they would come between those of other functions. In the copy of the section that
 * libelf has they are moved to where no code is.
 */
void droppedlines_move(struct objfile *o);

#endif
