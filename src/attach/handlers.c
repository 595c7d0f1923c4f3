/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/handlers.h"

enum { HANDLERS_MAX = 64 };	/* one for each signal */

taddr handlers_return_place(const struct address_space *s, const struct arch_regs *now, taddr pc)
{
	struct arch_regs r = *now;
	taddr at;

	for (int i = 0; i < HANDLERS_MAX && arch_handler_frame(&r, &at); i++) {
		uint8_t frame[ARCH_HANDLER_FRAME];

		if (address_space_read(s, at, frame, sizeof frame) != sizeof frame)
			return 0;
		arch_set_interrupted(&r, frame);
		if (arch_pc(&r) == pc)
			return at + arch_interrupted_pc;
	}
	return 0;
}
