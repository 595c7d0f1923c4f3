/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs overwrite their code: is what is there now still the code in which a breakpoint was
 * planted? */
#include "breakpoints/breakpoints_internal.h"

#include <string.h>

static void read_or_trap(const struct address_space *s, taddr at, uint8_t *code, size_t len)
{
	ssize_t n = address_space_read(s, at, code, len), got = n > 0 ? n : 0;

	memset(code + got, arch_trap[0], len - (size_t)got);
}

struct around breakpoint_read_around(const struct breakpoints *t, const struct address_space *s,
				     taddr at)
{
	enum { SIZE = 2 * AROUND_BYTES + 1 };
	uint8_t code[SIZE];
	struct around a;

	if (address_space_read(s, at - AROUND_BYTES, code, SIZE) != SIZE) {
		/* The mapping begins or ends here. */
		read_or_trap(s, at - AROUND_BYTES, code, AROUND_BYTES);
		read_or_trap(s, at, code + AROUND_BYTES, SIZE - AROUND_BYTES);
	}
	if (t)
		breakpoints_hide(t, at - AROUND_BYTES, code, SIZE);
	memcpy(a.before, code, AROUND_BYTES);
	memcpy(a.behind, code + AROUND_BYTES + arch_trap_size, AROUND_BYTES);
	return a;
}

bool breakpoint_is_same_code(const struct address_space *s, const struct breakpoint *bp)
{
	struct around now = breakpoint_read_around(NULL, s, bp->at);

	return around_is_same(&bp->around, &now, bp->insn.size);
}

bool breakpoint_is_in_place(const struct address_space *s, const struct breakpoint *bp)
{
	uint8_t now[4];

	return address_space_read(s, bp->at, now, arch_trap_size) == (ssize_t)arch_trap_size &&
	       !memcmp(now, arch_trap, arch_trap_size);
}

/* Apart from the breakpoint, is the instruction there what it was? */
static bool stands_for_own(const struct address_space *s, const struct breakpoint *bp)
{
	uint8_t now[ARCH_INSN_MAX];
	size_t size = bp->insn.size;

	if (address_space_read(s, bp->at, now, size) != (ssize_t)size)
		return false;
	if (!memcmp(now, arch_trap, arch_trap_size))
		memcpy(now, bp->insn.bytes, arch_trap_size);
	/* One byte alone may be equal by chance. */
	return !memcmp(now, bp->insn.bytes, size) &&
	       (size > arch_trap_size || breakpoint_is_same_code(s, bp));
}

bool breakpoint_came_along(const struct address_space *s, const struct breakpoint *bp)
{
	return breakpoint_is_in_place(s, bp) && stands_for_own(s, bp);
}

bool breakpoint_is_foreign(const struct address_space *s, const struct breakpoint *bp)
{
	return bp->volatile_code && breakpoint_is_in_place(s, bp) &&
	       !breakpoint_is_same_code(s, bp);
}

void breakpoint_make_sure(const struct address_space *s, struct breakpoint *bp)
{
	if (bp->volatile_code && !stands_for_own(s, bp))
		bp->lifted = true;
	if (!bp->lifted)
		breakpoint_restore(s, bp);
}

void breakpoints_refresh(struct breakpoints *t, const struct address_space *s,
			 struct breakpoint *bp)
{
	uint8_t code[ARCH_INSN_MAX];
	struct arch_insn now;
	ssize_t n = address_space_read(s, bp->at, code, sizeof code);

	if (n < (ssize_t)arch_trap_size)
		return;
	bp->around = breakpoint_read_around(t, s, bp->at);
	bool standing = !memcmp(code, arch_trap, arch_trap_size);
	if (standing)
		memcpy(code, bp->insn.bytes, arch_trap_size);
	if (n >= bp->insn.size && !memcmp(code, bp->insn.bytes, bp->insn.size)) {
		if (!standing)
			breakpoint_restore(s, bp);
		return;
	}
	if (arch_decode(code, (size_t)n, &now))
		return;
	bp->insn = now;
	/* Its slot, if it had one, holds another instruction: the new one runs in place. */
	bp->slot = 0;
	if (bp->insn.how != ARCH_EMULATE)
		bp->insn.how = ARCH_STEP;
	const uint32_t before = bp->journal_entry;

	/* A breakpoint must never be in the program without being in the journal. */
	breakpoint_write_entry(t, bp);
	journal_remove(t->journal, before);
	breakpoint_restore(s, bp);
}
