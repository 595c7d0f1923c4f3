/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a function that is to begin with a jump: what is moved, where threads go on, and
 * what is put back. */
#include "fuzz.h"

#include "arch/arch.h"
#include "arch/flow.h"
#include "arch/patch.h"

/* What comes before the function. */
struct head {
	uint32_t at;
	int32_t to_slot;
	uint8_t len;   /* so many bytes fewer can be read than it has */
	uint8_t mixed; /* which bytes of the jump somebody else has put back already */
	uint8_t first; /* and what he has put in the place of the first one, ... */
	uint8_t puts;  /* ... if this is odd */
};

/* Where a branch at @at goes with these flags; 0: it is not of a form that is emulated. */
static taddr branch_goes(const uint8_t *code, size_t len, taddr at, uint64_t flags)
{
	struct arch_regs r = {.user = {.rip = at, .eflags = flags}};
	struct arch_insn i;
	uint64_t value;
	bool push;

	if (arch_decode(code, len, &i) || i.how != ARCH_EMULATE)
		return 0;
	arch_emulate(&i, at, &r, &push, &value);
	return arch_pc(&r);
}

/* It is taken on the same condition. */
static void check_branch(const struct arch_patch *p, unsigned n, taddr place, taddr slot,
			 const uint8_t *moved, taddr target)
{
	static const unsigned bits[] = {0, 2, 6, 7, 11}; /* CF, PF, ZF, SF, OF */
	const struct arch_patch_insn *i = &p->insn[n];

	for (unsigned set = 0; set < 1u << 5; set++) {
		uint64_t flags = 0;

		for (unsigned b = 0; b < 5; b++)
			flags |= (uint64_t)(set >> b & 1) << bits[b];
		const taddr was = branch_goes(p->own + i->from, (size_t)(i[1].from - i->from),
					      place + i->from, flags);
		const taddr is =
			branch_goes(moved + i->to, (size_t)(i[1].to - i->to), slot + i->to, flags);

		FUZZ_EXPECT(is == target || is == slot + i[1].to);
		FUZZ_EXPECT(!was || (was == target) == (is == target) ||
			    target == place + i[1].from);
	}
}

/* What a moved instruction does is the same at both places. */
static void check_insn(const struct arch_patch *p, unsigned n, taddr place, taddr slot,
		       const uint8_t *moved)
{
	const struct arch_patch_insn *i = &p->insn[n];
	struct arch_flow was, is;

	FUZZ_EXPECT(i[1].from > i->from && i[1].to > i->to);
	FUZZ_EXPECT(
		arch_flow(p->own + i->from, (size_t)(i[1].from - i->from), place + i->from, &was));
	FUZZ_EXPECT(arch_flow(moved + i->to, (size_t)(i[1].to - i->to), slot + i->to, &is));
	FUZZ_EXPECT(was.size == (unsigned)(i[1].from - i->from));
	FUZZ_EXPECT(is.size == (unsigned)(i[1].to - i->to));
	FUZZ_EXPECT(is.kind == was.kind && is.target == was.target && is.writes == was.writes);
	FUZZ_EXPECT(is.from == was.from && is.to == was.to);
	FUZZ_EXPECT(is.at.base == was.at.base && is.at.indexed == was.at.indexed);
	FUZZ_EXPECT(is.at.offset == was.at.offset);
	if (was.kind == ARCH_FLOW_BRANCH)
		check_branch(p, n, place, slot, moved, was.target);
}

/* A thread that is moved to the slot is moved back to where it was. */
static void check_threads(const struct arch_patch *p, taddr at, taddr slot)
{
	const taddr place = arch_patch_place(p, at);

	for (unsigned offset = 0; offset <= p->size; offset++) {
		taddr pc = place + offset;
		const int moved = arch_patch_pc(p, at, slot, &pc);

		if (moved != 1)
			FUZZ_EXPECT(pc == place + offset);
		if (moved == 1)
			FUZZ_EXPECT(arch_patch_pc_back(p, at, slot, &pc) == 1 &&
				    pc == place + offset);
		FUZZ_EXPECT(moved == 1 || moved == 0 || moved == -EILSEQ);
	}
	for (unsigned offset = 0; offset < ARCH_PATCH_SLOT; offset++) {
		taddr pc = slot + offset;
		const int moved = arch_patch_pc_back(p, at, slot, &pc);

		FUZZ_EXPECT(moved == 1 ? pc >= place && pc <= place + p->size
				       : pc == slot + offset);
	}
}

/* The function's own bytes come back, whoever else has written there. */
static void check_restored(const struct arch_patch *p, taddr at, taddr slot, const struct head *h)
{
	uint8_t jump[ARCH_PATCH_JUMP], now[ARCH_PATCH_JUMP], was[ARCH_PATCH_JUMP];

	FUZZ_EXPECT(!arch_patch_jump(arch_patch_place(p, at), slot, jump));
	memcpy(now, jump, sizeof now);
	if (memcmp(p->own, jump, sizeof jump)) {
		FUZZ_EXPECT(arch_patch_restore(p->own, jump, now));
		FUZZ_EXPECT(!memcmp(now, p->own, sizeof now));
		FUZZ_EXPECT(!arch_patch_restore(p->own, jump, now));
	}
	for (unsigned i = 0; i < sizeof now; i++)
		now[i] = h->mixed >> i & 1 ? p->own[i] : jump[i];
	if (h->puts & 1)
		now[0] = h->first;
	memcpy(was, now, sizeof was);
	if (arch_patch_restore(p->own, jump, now)) {
		FUZZ_EXPECT(!memcmp(now + 1, p->own + 1, sizeof now - 1));
		FUZZ_EXPECT(now[0] == p->own[0] || now[0] == was[0]);
	}
}

static void check_plan(const struct arch_patch *p, const uint8_t *code, const struct head *h)
{
	const taddr at = (UINT64_C(1) << 46) + h->at;
	const taddr slot = at + (taddr)(int64_t)(h->to_slot / 2);
	uint8_t moved[ARCH_PATCH_SLOT];

	FUZZ_EXPECT(p->n && p->n <= ARCH_PATCH_INSNS);
	FUZZ_EXPECT(p->size >= ARCH_PATCH_JUMP && p->size <= ARCH_PATCH_MOVED);
	FUZZ_EXPECT(!memcmp(p->own, code + p->skip, p->size));
	FUZZ_EXPECT(p->insn[p->n].from == p->size);
	if (slot - at < ARCH_PATCH_BODY || at - slot < ARCH_PATCH_BODY)
		return; /* a slot is never in the function */
	const int n = arch_patch_slot(p, at, slot, moved);

	FUZZ_EXPECT(n > p->insn[p->n].to && n <= ARCH_PATCH_SLOT);
	for (unsigned i = 0; i < p->n; i++)
		check_insn(p, i, arch_patch_place(p, at), slot, moved);
	check_threads(p, at, slot);
	check_restored(p, at, slot, h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arch_patch p;
	const char *why = NULL;
	struct head h;
	size_t len;
	char *code = fuzz_behind(data, size, &h, sizeof h, &len);

	if (!code)
		return 0;
	const int err =
		arch_patch_plan((uint8_t *)code, len - (h.len < len ? h.len : len), len, &p, &why);

	FUZZ_EXPECT(!err == !why);
	FUZZ_EXPECT(!err || err == -EBUSY || err == -EILSEQ || err == -ERANGE || err == -ENOTSUP);
	if (!err)
		check_plan(&p, (uint8_t *)code, &h);
	free(code);
	return 0;
}
