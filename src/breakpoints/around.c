/* SPDX-License-Identifier: BSD-2-Clause */
#include "breakpoints/around.h"

#include "arch/arch.h"

#include <stddef.h>

static bool side_is_same(const uint8_t *was, const uint8_t *now, size_t n)
{
	size_t same = 0;

	for (size_t i = 0; i < n; i++) {
		if (now[i] == arch_trap[0])
			continue;
		if (now[i] != was[i])
			return false;
		same++;
	}
	return same;
}

bool around_is_same(const struct around *was, const struct around *now, uint8_t insn_size)
{
	size_t rest = insn_size - arch_trap_size;

	/* For a longer instruction compare only its own bytes: the code behind it may have been
	 * rewritten. A one-byte instruction has no other bytes, so compare what is behind it. */
	if (rest == 0 || rest > AROUND_BYTES)
		rest = AROUND_BYTES;
	return side_is_same(was->behind, now->behind, rest) ||
	       side_is_same(was->before, now->before, AROUND_BYTES);
}
