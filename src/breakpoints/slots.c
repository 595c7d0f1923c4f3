/* SPDX-License-Identifier: BSD-2-Clause */
/* Out-of-line slots: finding room for one, its contents, and the program's pc for a pc in one. */
#include "breakpoints/breakpoints_internal.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int breakpoints_offer_slack(struct breakpoints *t, taddr start, taddr end)
{
	if (start >= end)
		return 0;
	for (size_t i = 0; i < t->n_slacks; i++)
		if (t->slacks[i].start == start)
			return 0; /* it is in use already */
	if (ARRAY_RESERVE(&t->slacks, &t->cap_slacks, t->n_slacks))
		return -ENOMEM;
	t->slacks[t->n_slacks++] = (struct slack){ .start = start, .end = end, .next = start };
	return 0;
}

static bool save_slack(struct slack *k, const struct address_space *s)
{
	if (k->saved)
		return true;
	size_t len = (size_t)(k->end - k->start);

	k->saved = malloc(len);
	if (k->saved && address_space_read(s, k->start, k->saved, len) == (ssize_t)len)
		return true;
	free(k->saved);
	k->saved = NULL;
	return false;
}

/* Place the slot in this slack if it has room and is near enough. */
static bool try_slack(struct slack *k, const struct address_space *s, struct breakpoint *bp)
{
	uint8_t code[ARCH_SLOT_MAX];
	int size = arch_relocate(&bp->insn, bp->at, k->next, code);

	if (size < 0 || k->next + (taddr)size > k->end || !save_slack(k, s))
		return false;
	bp->slot = k->next;
	bp->slot_size = (uint8_t)size;
	k->next += (taddr)size;
	return true;
}

void slot_place(struct breakpoints *t, const struct address_space *s, struct breakpoint *bp)
{
	if (bp->insn.how != ARCH_COPY && bp->insn.how != ARCH_COPY_RELATIVE)
		return;
	for (size_t i = 0; i < t->n_slacks; i++)
		if (try_slack(&t->slacks[i], s, bp))
			return;
	bp->insn.how = ARCH_STEP;
}

bool slot_write(const struct address_space *s, const struct breakpoint *bp)
{
	uint8_t code[ARCH_SLOT_MAX];
	int size = arch_relocate(&bp->insn, bp->at, bp->slot, code);

	return size > 0 && address_space_write(s, bp->slot, code, (size_t)size) == size;
}

const uint8_t *slot_own_bytes(const struct breakpoints *t, const struct breakpoint *bp)
{
	for (size_t i = 0; i < t->n_slacks; i++) {
		const struct slack *k = &t->slacks[i];

		if (bp->slot >= k->start && bp->slot < k->end)
			return k->saved + (bp->slot - k->start);
	}
	return NULL;
}

bool slot_came_along(const struct address_space *s, const struct breakpoint *bp)
{
	uint8_t code[ARCH_SLOT_MAX], now[ARCH_SLOT_MAX];
	int size = arch_relocate(&bp->insn, bp->at, bp->slot, code);

	return size > 0 && address_space_read(s, bp->slot, now, (size_t)size) == size &&
	       !memcmp(now, code, (size_t)size);
}

static bool has_slots(const struct breakpoints *t, const struct slack *k)
{
	for (size_t i = 0; i < t->n; i++)
		if (within(t->v[i].slot, k->start, k->end))
			return true;
	return false;
}

void slacks_forget(struct breakpoints *t, taddr start, taddr end)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n_slacks; i++) {
		if (within(t->slacks[i].start, start, end) && !has_slots(t, &t->slacks[i]))
			free(t->slacks[i].saved);
		else
			t->slacks[kept++] = t->slacks[i];
	}
	t->n_slacks = kept;
}

int slacks_copy(struct breakpoints *to, const struct breakpoints *from)
{
	to->slacks = calloc(from->n_slacks + 1, sizeof *to->slacks);
	if (!to->slacks)
		return -ENOMEM;
	to->cap_slacks = from->n_slacks + 1;
	for (size_t i = 0; i < from->n_slacks; i++) {
		struct slack *k = &to->slacks[to->n_slacks++];

		*k = from->slacks[i];
		if (!k->saved)
			continue;
		k->saved = malloc((size_t)(k->end - k->start));
		if (!k->saved)
			return -ENOMEM;
		memcpy(k->saved, from->slacks[i].saved, (size_t)(k->end - k->start));
	}
	return 0;
}

taddr breakpoints_own_pc(const struct breakpoints *t, taddr pc, bool *before)
{
	*before = false;
	for (size_t i = 0; i < t->n_slacks; i++) {
		const struct slack *k = &t->slacks[i];

		if (!k->saved || !within(pc, k->start, k->next))
			continue;
		for (size_t j = 0; j < t->n; j++) {
			const struct breakpoint *bp = &t->v[j];

			if (!bp->slot || !within(pc, bp->slot, bp->slot + bp->slot_size))
				continue;
			*before = pc == bp->slot;
			return *before ? bp->at : bp->at + bp->insn.size;
		}
	}
	return pc;
}
