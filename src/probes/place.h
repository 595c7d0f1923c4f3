/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_PLACE_H
#define MPROF_PROBES_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * True if @address of a file may be the start of an instruction. A breakpoint in the middle of one
 * would change what the program does. Instructions are followed from the start of the function,
 * which call frame information gives; if there is none, it may be.
 * @fd  the file, open for reading; -1: there is none
 */
bool place_may_be_instruction(int fd, uint64_t address);

#endif
