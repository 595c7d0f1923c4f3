/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_HANDLERS_H
#define MPROF_ATTACH_HANDLERS_H

#include "arch/arch.h"
#include "attach/task.h"

/**
 * A task was at @pc and has got signals since, so that it is about to begin with a handler, of
 * several one inside of the other. Where is it written that it will come back to @pc?
 * @now  its registers, before the handler's first instruction
 * 0: it does not stand at a handler, or none of them will come back there.
 */
taddr handlers_return_place(const struct address_space *s, const struct arch_regs *now, taddr pc);

#endif
