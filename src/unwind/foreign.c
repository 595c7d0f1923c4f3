/* SPDX-License-Identifier: BSD-2-Clause */
/* Code of ours in the program, see struct unwind_foreign. */
#include "unwind/unwind_internal.h"

void unwinder_foreign(struct unwinder *u, const struct unwind_foreign *foreign)
{
	u->foreign = *foreign;
}

bool unwind_is_foreign(const struct unwinder *u, taddr pc, bool exact)
{
	return u->foreign.has && u->foreign.has(u->foreign.ctx, pc - !exact);
}

static bool read_word(void *unwinder, taddr at, uint64_t *word)
{
	return unwinder_word(unwinder, at, word);
}

/* More such frames in a row must be a loop: an allocator's functions do not jump to each other for
 * long. */
enum { FOREIGN_MAX = 16 };

bool unwind_leave_foreign(struct unwinder *u, unw_cursor_t *c, size_t n, bool exact, taddr *pc,
			  taddr *sp)
{
	struct arch_frame f = { .pc = *pc, .sp = *sp };

	if (!unwind_is_foreign(u, f.pc, exact))
		return true;
	for (unsigned i = 0; i < ARCH_KEPT_REGS; i++)
		if (unw_get_reg(c, arch_kept_regs[i], &f.kept[i]))
			return false;
	for (unsigned i = 0; unwind_is_foreign(u, f.pc, exact); i++) {
		if (!exact && u->left_out == SIZE_MAX)
			u->left_out = n;
		if (i == FOREIGN_MAX ||
		    !u->foreign.leave(u->foreign.ctx, &f, exact, read_word, u))
			return false;
	}
	for (unsigned i = 0; i < ARCH_KEPT_REGS; i++)
		arch_set_kept(&u->regs, i, f.kept[i]);
	/* For a caller the pc is inside of its call instruction. */
	arch_set_caller(&u->regs, f.pc - !exact, f.sp);
	*pc = f.pc;
	*sp = f.sp;
	return !unw_init_remote(c, u->as, u);
}
