/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_PLACE_H
#define MPROF_PROBES_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * May there be a function's first instruction at @address of a file? A breakpoint in the middle of
 * an instruction would change what the program does. It is looked for from the beginning of the
 * function that call frame information tells of there; where nothing tells, it may.
 * @fd  the file, open for reading; -1: there is none
 */
bool place_may_be_instruction(int fd, uint64_t address);

#endif
