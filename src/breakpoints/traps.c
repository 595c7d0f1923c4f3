/* SPDX-License-Identifier: BSD-2-Clause */
#include "breakpoints/traps.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void traps_release(struct traps *t)
{
	for (size_t i = 0; i < t->n; i++)
		journal_remove(t->journal, t->v[i].journal_entry);
	free(t->v);
	idindex_release(&t->index);
	for (size_t i = 0; i < t->n_slacks; i++)
		free(t->slacks[i].saved);
	free(t->slacks);
	*t = (struct traps){ 0 };
}

static bool trap_eq(const void *owner, uint32_t id, const void *key)
{
	return ((const struct traps *)owner)->v[id].at == *(const taddr *)key;
}

static uint64_t trap_rehash(const void *owner, uint32_t id)
{
	return hash_mix(((const struct traps *)owner)->v[id].at);
}

struct trap *traps_at(const struct traps *t, taddr at)
{
	uint32_t id = idindex_find(&t->index, hash_mix(at), trap_eq, t, &at);

	return id == IDINDEX_NONE ? NULL : &t->v[id];
}

int traps_offer_slack(struct traps *t, taddr start, taddr end)
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

/* The program's own bytes: traps that are in the range are taken out of the copy. */
static ssize_t read_own(const struct traps *t, const struct address_space *s, taddr at, uint8_t *buf,
			size_t len)
{
	ssize_t n = address_space_read(s, at, buf, len);

	for (ssize_t i = 0; i < n; i++) {
		const struct trap *trap = traps_at(t, at + (taddr)i);
		if (trap)
			memcpy(buf + i, trap->insn.bytes,
			       arch_trap_size < (size_t)(n - i) ? arch_trap_size : (size_t)(n - i));
	}
	return n;
}

static void read_or_trap(const struct address_space *s, taddr at, uint8_t *code, size_t len)
{
	ssize_t n = address_space_read(s, at, code, len), got = n > 0 ? n : 0;

	memset(code + got, arch_trap[0], len - (size_t)got);
}

/* @t: its traps are taken out of the copy; NULL: all is as it is. */
static struct around read_around(const struct traps *t, const struct address_space *s, taddr at)
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
		traps_hide(t, at - AROUND_BYTES, code, SIZE);
	memcpy(a.before, code, AROUND_BYTES);
	memcpy(a.behind, code + AROUND_BYTES + arch_trap_size, AROUND_BYTES);
	return a;
}

static bool is_same_code(const struct address_space *s, const struct trap *trap)
{
	struct around now = read_around(NULL, s, trap->at);

	return around_is_same(&trap->around, &now, trap->insn.size);
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
static bool try_slack(struct slack *k, const struct address_space *s, struct trap *trap)
{
	uint8_t code[ARCH_SLOT_MAX];
	int size = arch_relocate(&trap->insn, trap->at, k->next, code);

	if (size < 0 || k->next + (taddr)size > k->end || !save_slack(k, s))
		return false;
	trap->slot = k->next;
	trap->slot_size = (uint8_t)size;
	k->next += (taddr)size;
	return true;
}

/* An instruction for which there is no room anywhere has to run at its own place. */
static void place_slot(struct traps *t, const struct address_space *s, struct trap *trap)
{
	if (trap->insn.how != ARCH_COPY && trap->insn.how != ARCH_COPY_RELATIVE)
		return;
	for (size_t i = 0; i < t->n_slacks; i++)
		if (try_slack(&t->slacks[i], s, trap))
			return;
	trap->insn.how = ARCH_STEP;
}

static bool write_slot(const struct address_space *s, const struct trap *trap)
{
	uint8_t code[ARCH_SLOT_MAX];
	int size = arch_relocate(&trap->insn, trap->at, trap->slot, code);

	return size > 0 && address_space_write(s, trap->slot, code, (size_t)size) == size;
}

/* ---- planting and lifting ---- */

static const uint8_t *slot_own_bytes(const struct traps *t, const struct trap *trap)
{
	for (size_t i = 0; i < t->n_slacks; i++) {
		const struct slack *k = &t->slacks[i];

		if (trap->slot >= k->start && trap->slot < k->end)
			return k->saved + (trap->slot - k->start);
	}
	return NULL;
}

static void write_entry(const struct traps *t, struct trap *trap)
{
	struct journal_entry e = {
		.pid = t->pid, .at = trap->at, .insn_size = trap->insn.size, .slot = trap->slot,
		.slot_size = trap->slot_size,
	};

	memcpy(e.own, trap->insn.bytes, sizeof e.own);
	if (trap->slot)
		memcpy(e.slot_own, slot_own_bytes(t, trap), trap->slot_size);
	trap->journal_entry = journal_add(t->journal, &e);
}

static void bring_in(struct traps *t, const struct address_space *s, struct trap *trap)
{
	if (!trap->out)
		return;
	trap_restore(s, trap);
	trap->out = false;
	t->planted++;
}

struct trap *traps_plant(struct traps *t, const struct address_space *s, taddr at, enum trap_role role,
			 int *err)
{
	struct trap *trap = traps_at(t, at), new = { .at = at, .roles = role, .file = NO_FILE };
	uint8_t code[ARCH_INSN_MAX];

	*err = 0;
	if (trap) {
		trap->roles |= role;
		if (role != TRAP_RETURN)
			bring_in(t, s, trap);
		return trap;
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
	if (idindex_add(&t->index, (uint32_t)t->n, hash_mix(at), trap_rehash, t)) {
		trap_lift(s, &new);
		journal_remove(t->journal, new.journal_entry);
		return NULL;
	}
	t->planted++;
	*err = 0;
	return &t->v[t->n++];
}

static bool is_in_place(const struct address_space *s, const struct trap *trap)
{
	uint8_t now[4];

	return address_space_read(s, trap->at, now, arch_trap_size) == (ssize_t)arch_trap_size &&
	       !memcmp(now, arch_trap, arch_trap_size);
}

void traps_refresh(struct traps *t, const struct address_space *s, struct trap *trap)
{
	uint8_t code[ARCH_INSN_MAX];
	struct arch_insn now;
	ssize_t n = address_space_read(s, trap->at, code, sizeof code);

	if (n < (ssize_t)arch_trap_size)
		return;
	trap->around = read_around(t, s, trap->at);
	bool standing = !memcmp(code, arch_trap, arch_trap_size);
	if (standing)
		memcpy(code, trap->insn.bytes, arch_trap_size);
	if (n >= trap->insn.size && !memcmp(code, trap->insn.bytes, trap->insn.size)) {
		if (!standing)
			trap_restore(s, trap);
		return;
	}
	if (arch_decode(code, (size_t)n, &now))
		return;
	trap->insn = now;
	/* Its slot, if it had one, holds another instruction: this one runs in place. */
	trap->slot = 0;
	if (trap->insn.how != ARCH_EMULATE)
		trap->insn.how = ARCH_STEP;
	const uint32_t before = trap->journal_entry;

	/* At no time is a trap in the program that the journal does not have. */
	write_entry(t, trap);
	journal_remove(t->journal, before);
	trap_restore(s, trap);
}

void trap_lift(const struct address_space *s, const struct trap *trap)
{
	if (trap->volatile_code && !(is_in_place(s, trap) && is_same_code(s, trap)))
		return;
	address_space_write(s, trap->at, trap->insn.bytes, arch_trap_size);
}

void trap_restore(const struct address_space *s, const struct trap *trap)
{
	address_space_write(s, trap->at, arch_trap, arch_trap_size);
}

bool trap_is_foreign(const struct address_space *s, const struct trap *trap)
{
	return trap->volatile_code && is_in_place(s, trap) && !is_same_code(s, trap);
}

/* One stop costs as much as several writes of a trap, so that it pays soon. */
static bool is_shy(const struct trap *trap)
{
	enum { SOME = 16 };

	return trap->roles == TRAP_RETURN && !trap->volatile_code && trap->strays >= SOME &&
	       trap->strays > trap->hits / 4;
}

void trap_await(struct traps *t, const struct address_space *s, struct trap *trap)
{
	trap->pending++;
	bring_in(t, s, trap);
}

static void go_out_if_shy(const struct address_space *s, struct trap *trap)
{
	if (trap->pending || trap->out || !is_shy(trap))
		return;
	trap_lift(s, trap);
	trap->out = true;
}

void trap_awaited(const struct address_space *s, struct trap *trap)
{
	if (trap->pending)
		trap->pending--;
	go_out_if_shy(s, trap);
}

void trap_strayed(const struct address_space *s, struct trap *trap)
{
	trap->strays++;
	go_out_if_shy(s, trap);
}

void traps_lift(const struct traps *t, const struct address_space *s)
{
	for (size_t i = 0; i < t->n; i++)
		if (is_in_place(s, &t->v[i]))
			trap_lift(s, &t->v[i]);
	for (size_t i = 0; i < t->n_slacks; i++) {
		const struct slack *k = &t->slacks[i];

		if (k->saved)
			address_space_write(s, k->start, k->saved, (size_t)(k->next - k->start));
	}
}

/* What a trap there, or none, is in the place of. */
static bool stands_for_own(const struct address_space *s, const struct trap *trap)
{
	uint8_t now[ARCH_INSN_MAX];
	size_t size = trap->insn.size;

	if (address_space_read(s, trap->at, now, size) != (ssize_t)size)
		return false;
	if (!memcmp(now, arch_trap, arch_trap_size))
		memcpy(now, trap->insn.bytes, arch_trap_size);
	/* One byte alone may be like that by chance. */
	return !memcmp(now, trap->insn.bytes, size) && (size > arch_trap_size || is_same_code(s, trap));
}

void trap_make_sure(const struct address_space *s, struct trap *trap)
{
	if (trap->volatile_code && !stands_for_own(s, trap))
		trap->out = true;
	if (!trap->out)
		trap_restore(s, trap);
}

void trap_put_back(const struct address_space *s, struct trap *trap)
{
	if (trap->slot)
		write_slot(s, trap);
	trap_make_sure(s, trap);
}

void traps_put_back(struct traps *t, const struct address_space *s)
{
	for (size_t i = 0; i < t->n; i++)
		trap_put_back(s, &t->v[i]);
}

/* ---- the table ---- */

static int reindex(struct traps *t)
{
	idindex_clear(&t->index);
	for (size_t i = 0; i < t->n; i++)
		if (idindex_add(&t->index, (uint32_t)i, hash_mix(t->v[i].at), trap_rehash, t))
			return -ENOMEM;
	return 0;
}

static bool within(taddr a, taddr start, taddr end)
{
	return a >= start && a < end;
}

void traps_hide(const struct traps *t, taddr at, uint8_t *code, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const struct trap *trap = code[i] == arch_trap[0] ? traps_at(t, at + i) : NULL;

		if (trap)
			memcpy(code + i, trap->insn.bytes, arch_trap_size < len - i ? arch_trap_size : len - i);
	}
}

/* Is a trap there, and behind it the rest of its instruction? */
static bool trap_came_along(const struct address_space *s, const struct trap *trap)
{
	return is_in_place(s, trap) && stands_for_own(s, trap);
}

static bool slot_came_along(const struct address_space *s, const struct trap *trap)
{
	uint8_t code[ARCH_SLOT_MAX], now[ARCH_SLOT_MAX];
	int size = arch_relocate(&trap->insn, trap->at, trap->slot, code);

	return size > 0 && address_space_read(s, trap->slot, now, (size_t)size) == size &&
	       !memcmp(now, code, (size_t)size);
}

static bool has_slots(const struct traps *t, const struct slack *k)
{
	for (size_t i = 0; i < t->n; i++)
		if (within(t->v[i].slot, k->start, k->end))
			return true;
	return false;
}

static void forget_slack(struct traps *t, taddr start, taddr end)
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

void traps_forget(struct traps *t, const struct address_space *s, taddr start, taddr end)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct trap *trap = &t->v[i];

		if (within(trap->at, start, end)) {
			if (!s || !trap_came_along(s, trap)) {
				journal_remove(t->journal, trap->journal_entry);
				continue;
			}
			trap->volatile_code = true;
		}
		/* Its copy was in the memory that went. */
		if (within(trap->slot, start, end) && !(s && slot_came_along(s, trap))) {
			trap->slot = 0;
			trap->insn.how = ARCH_STEP;
		}
		t->v[kept++] = *trap;
	}
	bool changed = kept != t->n;
	t->n = kept;
	forget_slack(t, start, end);
	if (changed)
		reindex(t); /* fewer than before: needs no memory */
}

static int copy_slacks(struct traps *to, const struct traps *from)
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

int traps_copy(struct traps *to, const struct traps *from)
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

taddr traps_own_pc(const struct traps *t, taddr pc, bool *before)
{
	*before = false;
	for (size_t i = 0; i < t->n_slacks; i++) {
		const struct slack *k = &t->slacks[i];

		if (!k->saved || !within(pc, k->start, k->next))
			continue;
		for (size_t j = 0; j < t->n; j++) {
			const struct trap *trap = &t->v[j];

			if (!trap->slot || !within(pc, trap->slot, trap->slot + trap->slot_size))
				continue;
			*before = pc == trap->slot;
			return *before ? trap->at : trap->at + trap->insn.size;
		}
	}
	return pc;
}
