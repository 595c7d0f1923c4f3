/* SPDX-License-Identifier: BSD-2-Clause */
#include "breakpoints/breakpoints.h"

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

int breakpoints_offer_slack(struct breakpoints *t, taddr start, taddr end)
{
	if (start >= end)
		return 0;
	for (size_t i = 0; i < t->n_slacks; i++)
		if (t->slacks[i].start == start)
			return 0; /* in use already */
	if (ARRAY_RESERVE(&t->slacks, &t->cap_slacks, t->n_slacks))
		return -ENOMEM;
	t->slacks[t->n_slacks++] = (struct slack){ .start = start, .end = end, .next = start };
	return 0;
}

/* The program's own bytes: breakpoints that are in the range are taken out of the copy. */
static ssize_t read_own(const struct breakpoints *t, const struct address_space *s, taddr at,
			uint8_t *buf, size_t len)
{
	ssize_t n = address_space_read(s, at, buf, len);

	for (ssize_t i = 0; i < n; i++) {
		const struct breakpoint *bp = breakpoints_at(t, at + (taddr)i);
		if (bp)
			memcpy(buf + i, bp->insn.bytes,
			       arch_trap_size < (size_t)(n - i) ? arch_trap_size : (size_t)(n - i));
	}
	return n;
}

static void read_or_trap(const struct address_space *s, taddr at, uint8_t *code, size_t len)
{
	ssize_t n = address_space_read(s, at, code, len), got = n > 0 ? n : 0;

	memset(code + got, arch_trap[0], len - (size_t)got);
}

/* @t: its breakpoints are taken out of the copy; NULL: all is as it is. */
static struct around read_around(const struct breakpoints *t, const struct address_space *s,
				 taddr at)
{
	enum { SIZE = 2 * AROUND_BYTES + 1 };
	uint8_t code[SIZE];
	struct around a;

	if (address_space_read(s, at - AROUND_BYTES, code, SIZE) != SIZE) {
		/* The code begins or ends here. */
		read_or_trap(s, at - AROUND_BYTES, code, AROUND_BYTES);
		read_or_trap(s, at, code + AROUND_BYTES, SIZE - AROUND_BYTES);
	}
	if (t)
		breakpoints_hide(t, at - AROUND_BYTES, code, SIZE);
	memcpy(a.before, code, AROUND_BYTES);
	memcpy(a.behind, code + AROUND_BYTES + arch_trap_size, AROUND_BYTES);
	return a;
}

static bool is_same_code(const struct address_space *s, const struct breakpoint *bp)
{
	struct around now = read_around(NULL, s, bp->at);

	return around_is_same(&bp->around, &now, bp->insn.size);
}

/* ---- slots ---- */

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

/* Take a place in this slack for the copy if it has room and is near enough. */
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

/* An instruction for which there is no room anywhere has to run at its own place. */
static void place_slot(struct breakpoints *t, const struct address_space *s, struct breakpoint *bp)
{
	if (bp->insn.how != ARCH_COPY && bp->insn.how != ARCH_COPY_RELATIVE)
		return;
	for (size_t i = 0; i < t->n_slacks; i++)
		if (try_slack(&t->slacks[i], s, bp))
			return;
	bp->insn.how = ARCH_STEP;
}

static bool write_slot(const struct address_space *s, const struct breakpoint *bp)
{
	uint8_t code[ARCH_SLOT_MAX];
	int size = arch_relocate(&bp->insn, bp->at, bp->slot, code);

	return size > 0 && address_space_write(s, bp->slot, code, (size_t)size) == size;
}

/* ---- planting and lifting ---- */

static const uint8_t *slot_own_bytes(const struct breakpoints *t, const struct breakpoint *bp)
{
	for (size_t i = 0; i < t->n_slacks; i++) {
		const struct slack *k = &t->slacks[i];

		if (bp->slot >= k->start && bp->slot < k->end)
			return k->saved + (bp->slot - k->start);
	}
	return NULL;
}

static void write_entry(const struct breakpoints *t, struct breakpoint *bp)
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
	ssize_t n = read_own(t, s, at, code, sizeof code);
	*err = n < 0 ? (int)n : arch_decode(code, (size_t)n, &new.insn);
	if (*err)
		return NULL;
	*err = -ENOMEM;
	if (ARRAY_RESERVE(&t->v, &t->cap, t->n))
		return NULL;
	new.around = read_around(t, s, at);
	place_slot(t, s, &new);
	write_entry(t, &new);
	if (new.slot && !write_slot(s, &new)) {
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

static bool is_in_place(const struct address_space *s, const struct breakpoint *bp)
{
	uint8_t now[4];

	return address_space_read(s, bp->at, now, arch_trap_size) == (ssize_t)arch_trap_size &&
	       !memcmp(now, arch_trap, arch_trap_size);
}

void breakpoints_refresh(struct breakpoints *t, const struct address_space *s,
			 struct breakpoint *bp)
{
	uint8_t code[ARCH_INSN_MAX];
	struct arch_insn now;
	ssize_t n = address_space_read(s, bp->at, code, sizeof code);

	if (n < (ssize_t)arch_trap_size)
		return;
	bp->around = read_around(t, s, bp->at);
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
	/* Its slot, if it had one, holds another instruction: this one runs in place. */
	bp->slot = 0;
	if (bp->insn.how != ARCH_EMULATE)
		bp->insn.how = ARCH_STEP;
	const uint32_t before = bp->journal_entry;

	/* At no time is a breakpoint in the program that the journal does not have. */
	write_entry(t, bp);
	journal_remove(t->journal, before);
	breakpoint_restore(s, bp);
}

void breakpoint_lift(const struct address_space *s, const struct breakpoint *bp)
{
	if (bp->volatile_code && !(is_in_place(s, bp) && is_same_code(s, bp)))
		return;
	address_space_write(s, bp->at, bp->insn.bytes, arch_trap_size);
}

void breakpoint_restore(const struct address_space *s, const struct breakpoint *bp)
{
	address_space_write(s, bp->at, arch_trap, arch_trap_size);
}

bool breakpoint_is_foreign(const struct address_space *s, const struct breakpoint *bp)
{
	return bp->volatile_code && is_in_place(s, bp) && !is_same_code(s, bp);
}

/* One stop costs as much as several writes of a breakpoint, so that it pays soon. */
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

void breakpoints_lift(const struct breakpoints *t, const struct address_space *s)
{
	for (size_t i = 0; i < t->n; i++)
		if (is_in_place(s, &t->v[i]))
			breakpoint_lift(s, &t->v[i]);
	for (size_t i = 0; i < t->n_slacks; i++) {
		const struct slack *k = &t->slacks[i];

		if (k->saved)
			address_space_write(s, k->start, k->saved, (size_t)(k->next - k->start));
	}
}

/* What a breakpoint there, or none, is in the place of. */
static bool stands_for_own(const struct address_space *s, const struct breakpoint *bp)
{
	uint8_t now[ARCH_INSN_MAX];
	size_t size = bp->insn.size;

	if (address_space_read(s, bp->at, now, size) != (ssize_t)size)
		return false;
	if (!memcmp(now, arch_trap, arch_trap_size))
		memcpy(now, bp->insn.bytes, arch_trap_size);
	/* One byte alone may be like that by chance. */
	return !memcmp(now, bp->insn.bytes, size) && (size > arch_trap_size || is_same_code(s, bp));
}

void breakpoint_make_sure(const struct address_space *s, struct breakpoint *bp)
{
	if (bp->volatile_code && !stands_for_own(s, bp))
		bp->lifted = true;
	if (!bp->lifted)
		breakpoint_restore(s, bp);
}

void breakpoint_put_back(const struct address_space *s, struct breakpoint *bp)
{
	if (bp->slot)
		write_slot(s, bp);
	breakpoint_make_sure(s, bp);
}

void breakpoints_put_back(struct breakpoints *t, const struct address_space *s)
{
	for (size_t i = 0; i < t->n; i++)
		breakpoint_put_back(s, &t->v[i]);
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

static bool within(taddr a, taddr start, taddr end)
{
	return a >= start && a < end;
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

/* Is a breakpoint there, and behind it the rest of its instruction? */
static bool breakpoint_came_along(const struct address_space *s, const struct breakpoint *bp)
{
	return is_in_place(s, bp) && stands_for_own(s, bp);
}

static bool slot_came_along(const struct address_space *s, const struct breakpoint *bp)
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

static void forget_slack(struct breakpoints *t, taddr start, taddr end)
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
		/* Its copy was in the memory that went. */
		if (within(bp->slot, start, end) && !(s && slot_came_along(s, bp))) {
			bp->slot = 0;
			bp->insn.how = ARCH_STEP;
		}
		t->v[kept++] = *bp;
	}
	bool changed = kept != t->n;
	t->n = kept;
	forget_slack(t, start, end);
	if (changed)
		reindex(t); /* fewer than before: needs no memory */
}

static int copy_slacks(struct breakpoints *to, const struct breakpoints *from)
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

int breakpoints_copy(struct breakpoints *to, const struct breakpoints *from)
{
	to->v = calloc(from->n + 1, sizeof *to->v);
	if (!to->v)
		return -ENOMEM;
	if (from->n)
		memcpy(to->v, from->v, from->n * sizeof *to->v);
	to->n = from->n;
	to->cap = from->n + 1;
	int err = copy_slacks(to, from);
	for (size_t i = 0; i < to->n; i++) {
		to->v[i].journal_entry = JOURNAL_NONE;
		to->v[i].pending = 0; /* the calls of other threads */
		if (!err)
			write_entry(to, &to->v[i]);
	}
	return err ? err : reindex(to);
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
