/* SPDX-License-Identifier: BSD-2-Clause */
/* The breakpoints of a space: planting and lifting, and their table. */
#include "breakpoints/breakpoints_internal.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void breakpoints_release(struct breakpoints *t)
{
	for (size_t i = 0; i < t->n; i++)
		journal_remove(t->journal, t->v[i].journal_entry);
	free(t->v);
	idindex_release(&t->index);
	for (size_t i = 0; i < t->n_slacks; i++)
		free(t->slacks[i].saved);
	free(t->slacks);
	*t = (struct breakpoints){ 0 };
}

static bool same_address(const void *owner, uint32_t id, const void *key)
{
	return ((const struct breakpoints *)owner)->v[id].at == *(const taddr *)key;
}

static uint64_t rehash_breakpoint(const void *owner, uint32_t id)
{
	return hash_mix(((const struct breakpoints *)owner)->v[id].at);
}

struct breakpoint *breakpoints_at(const struct breakpoints *t, taddr at)
{
	uint32_t id = idindex_find(&t->index, hash_mix(at), same_address, t, &at);

	return id == IDINDEX_NONE ? NULL : &t->v[id];
}

void breakpoints_hide(const struct breakpoints *t, taddr at, uint8_t *code, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const struct breakpoint *bp = code[i] == arch_trap[0] ? breakpoints_at(t, at + i)
								      : NULL;

		if (bp)
			memcpy(code + i, bp->insn.bytes,
			       arch_trap_size < len - i ? arch_trap_size : len - i);
	}
}

/* ---- planting ---- */

void breakpoint_write_entry(const struct breakpoints *t, struct breakpoint *bp)
{
	struct journal_entry e = {
		.pid = t->pid, .at = bp->at, .insn_size = bp->insn.size, .slot = bp->slot,
		.slot_size = bp->slot_size,
	};

	memcpy(e.own, bp->insn.bytes, sizeof e.own);
	if (bp->slot)
		memcpy(e.slot_own, slot_own_bytes(t, bp), bp->slot_size);
	bp->journal_entry = journal_add(t->journal, &e);
}

static void bring_in(struct breakpoints *t, const struct address_space *s, struct breakpoint *bp)
{
	if (!bp->lifted)
		return;
	breakpoint_restore(s, bp);
	bp->lifted = false;
	t->planted++;
}

struct breakpoint *breakpoints_plant(struct breakpoints *t, const struct address_space *s, taddr at,
				     enum breakpoint_role role, int *err)
{
	struct breakpoint *bp = breakpoints_at(t, at),
		new = { .at = at, .roles = role, .file = NO_FILE };
	uint8_t code[ARCH_INSN_MAX];

	*err = 0;
	if (bp) {
		bp->roles |= role;
		if (role != BREAKPOINT_RETURN)
			bring_in(t, s, bp);
		return bp;
	}
	ssize_t n = address_space_read(s, at, code, sizeof code);

	if (n > 0)
		breakpoints_hide(t, at, code, (size_t)n);
	*err = n < 0 ? (int)n : arch_decode(code, (size_t)n, &new.insn);
	if (*err)
		return NULL;
	*err = -ENOMEM;
	if (ARRAY_RESERVE(&t->v, &t->cap, t->n))
		return NULL;
	new.around = breakpoint_read_around(t, s, at);
	slot_place(t, s, &new);
	breakpoint_write_entry(t, &new);
	if (new.slot && !slot_write(s, &new)) {
		new.slot = 0;
		new.insn.how = ARCH_STEP;
	}
	n = address_space_write(s, at, arch_trap, arch_trap_size);
	if (n != (ssize_t)arch_trap_size) {
		*err = n < 0 ? (int)n : -EIO;
		journal_remove(t->journal, new.journal_entry);
		return NULL;
	}
	t->v[t->n] = new;
	if (idindex_add(&t->index, (uint32_t)t->n, hash_mix(at), rehash_breakpoint, t)) {
		breakpoint_lift(s, &new);
		journal_remove(t->journal, new.journal_entry);
		return NULL;
	}
	t->planted++;
	*err = 0;
	return &t->v[t->n++];
}

/* ---- lifting ---- */

void breakpoint_lift(const struct address_space *s, const struct breakpoint *bp)
{
	if (bp->volatile_code && !(breakpoint_is_in_place(s, bp) && breakpoint_is_same_code(s, bp)))
		return;
	address_space_write(s, bp->at, bp->insn.bytes, arch_trap_size);
}

void breakpoint_restore(const struct address_space *s, const struct breakpoint *bp)
{
	address_space_write(s, bp->at, arch_trap, arch_trap_size);
}

void breakpoint_put_back(const struct address_space *s, struct breakpoint *bp)
{
	if (bp->slot)
		slot_write(s, bp);
	breakpoint_make_sure(s, bp);
}

void breakpoints_lift(const struct breakpoints *t, const struct address_space *s)
{
	for (size_t i = 0; i < t->n; i++)
		if (breakpoint_is_in_place(s, &t->v[i]))
			breakpoint_lift(s, &t->v[i]);
	for (size_t i = 0; i < t->n_slacks; i++) {
		const struct slack *k = &t->slacks[i];

		if (k->saved)
			address_space_write(s, k->start, k->saved, (size_t)(k->next - k->start));
	}
}

void breakpoints_put_back(struct breakpoints *t, const struct address_space *s)
{
	for (size_t i = 0; i < t->n; i++)
		breakpoint_put_back(s, &t->v[i]);
}

/* ---- breakpoints that are in only while a call is pending ---- */

/* A stop costs as much as several writes of a breakpoint, so this soon pays off. */
static bool is_on_demand(const struct breakpoint *bp)
{
	enum { SOME = 16 };

	return bp->roles == BREAKPOINT_RETURN && !bp->volatile_code && bp->spurious_hits >= SOME &&
	       bp->spurious_hits > bp->hits / 4;
}

void breakpoint_await(struct breakpoints *t, const struct address_space *s, struct breakpoint *bp)
{
	bp->pending++;
	bring_in(t, s, bp);
}

static void lift_if_on_demand(const struct address_space *s, struct breakpoint *bp)
{
	if (bp->pending || bp->lifted || !is_on_demand(bp))
		return;
	breakpoint_lift(s, bp);
	bp->lifted = true;
}

void breakpoint_awaited(const struct address_space *s, struct breakpoint *bp)
{
	if (bp->pending)
		bp->pending--;
	lift_if_on_demand(s, bp);
}

void breakpoint_was_spurious(const struct address_space *s, struct breakpoint *bp)
{
	bp->spurious_hits++;
	lift_if_on_demand(s, bp);
}

/* ---- the table ---- */

static int reindex(struct breakpoints *t)
{
	idindex_clear(&t->index);
	for (size_t i = 0; i < t->n; i++)
		if (idindex_add(&t->index, (uint32_t)i, hash_mix(t->v[i].at), rehash_breakpoint, t))
			return -ENOMEM;
	return 0;
}

void breakpoints_forget(struct breakpoints *t, const struct address_space *s, taddr start,
			taddr end)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct breakpoint *bp = &t->v[i];

		if (within(bp->at, start, end)) {
			if (!s || !breakpoint_came_along(s, bp)) {
				journal_remove(t->journal, bp->journal_entry);
				continue;
			}
			bp->volatile_code = true;
		}
		/* Its slot was in memory that is no longer mapped. */
		if (within(bp->slot, start, end) && !(s && slot_came_along(s, bp))) {
			bp->slot = 0;
			bp->insn.how = ARCH_STEP;
		}
		t->v[kept++] = *bp;
	}
	bool changed = kept != t->n;
	t->n = kept;
	slacks_forget(t, start, end);
	if (changed)
		reindex(t); /* fewer than before: this needs no memory */
}

int breakpoints_copy(struct breakpoints *to, const struct breakpoints *from)
{
	to->v = calloc(from->n + 1, sizeof *to->v);
	if (!to->v)
		return -ENOMEM;
	if (from->n)
		memcpy(to->v, from->v, from->n * sizeof *to->v);
	to->n = from->n;
	to->cap = from->n + 1;
	int err = slacks_copy(to, from);
	for (size_t i = 0; i < to->n; i++) {
		to->v[i].journal_entry = JOURNAL_NONE;
		to->v[i].pending = 0; /* these are calls of threads that were not copied */
		if (!err)
			breakpoint_write_entry(to, &to->v[i]);
	}
	return err ? err : reindex(to);
}
