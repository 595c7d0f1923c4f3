/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_HANDLERS_H
#define MPROF_ATTACH_HANDLERS_H

#include "arch/arch.h"
#include "attach/task.h"

/**
 * A task was at @pc and has received signals since, so that it is about to run a handler, or
 * several nested ones. At which address of its stack is the pc saved that will bring it back to
 * @pc?
 * @now  its registers, before the handler's first instruction
 * Returns 0 if it is not at the beginning of a handler, or none of them will come back there.
 */
taddr handlers_return_place(const struct address_space *s, const struct arch_regs *now, taddr pc);

#endif
