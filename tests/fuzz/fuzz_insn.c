/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes where a breakpoint is to be: what is copied to a slot, moved or emulated. */
#include "fuzz.h"

#include "arch/arch.h"
#include "arch/flow.h"

/* What comes before the bytes: where they are, where the slot is, and what registers hold. */
struct head {
	uint32_t at;
	int32_t to_slot; /* bytes from there, within the reach of a displacement */
	uint64_t flags, rax, rcx, rsp;
};

static struct arch_flow flow_of(const uint8_t *code, size_t len, taddr at)
{
	struct arch_flow f;

	FUZZ_EXPECT(arch_flow(code, len, at, &f) && f.size <= len);
	return f;
}

/* The jump behind the copy leads to where the original goes on. */
static void check_way_back(const uint8_t *jump, size_t size, taddr at, taddr to)
{
	const struct arch_flow f = flow_of(jump, size, at);
	taddr far;

	FUZZ_EXPECT(f.kind == ARCH_FLOW_JUMP);
	if (f.target) {
		FUZZ_EXPECT(f.target == to && f.size == size);
		return;
	}
	/* The address is at the end, where it may be read with alignment checks. */
	FUZZ_EXPECT(size >= f.size + sizeof far && (at + size) % sizeof far == 0);
	memcpy(&far, jump + size - sizeof far, sizeof far);
	FUZZ_EXPECT(far == to);
}

/* What has been moved is the same instruction, and moved back it has its own bytes again. */
static void check_moved(const struct arch_insn *i, taddr at, taddr slot)
{
	uint8_t moved[ARCH_SLOT_MAX], back[ARCH_SLOT_MAX];
	const int n = arch_relocate(i, at, slot, moved);
	struct arch_insn again;

	if (n < 0) {
		FUZZ_EXPECT(n == -ERANGE && i->how == ARCH_COPY_RELATIVE);
		return;
	}
	FUZZ_EXPECT(n > i->size && n <= ARCH_SLOT_MAX);
	FUZZ_EXPECT(!arch_decode(moved, (size_t)n, &again));
	FUZZ_EXPECT(again.size == i->size && again.how == i->how);
	FUZZ_EXPECT(again.displacement == i->displacement);
	check_way_back(moved + i->size, (size_t)n - i->size, slot + i->size, at + i->size);
	FUZZ_EXPECT(arch_relocate(&again, slot, at, back) > i->size);
	FUZZ_EXPECT(!memcmp(back, i->bytes, i->size));
}

static void check_emulated(const struct arch_insn *i, taddr at, const struct head *h)
{
	struct arch_regs r = {.user = {.rip = at,
				       .eflags = h->flags,
				       .rax = h->rax,
				       .rcx = h->rcx,
				       .rsp = h->rsp}};
	const struct arch_flow f = flow_of(i->bytes, i->size, at);
	const taddr next = at + i->size;
	uint64_t value = 0;
	bool push = false;

	arch_emulate(i, at, &r, &push, &value);
	FUZZ_EXPECT(push == (f.kind == ARCH_FLOW_CALL));
	FUZZ_EXPECT(!push || (value == next && arch_sp(&r) == h->rsp - sizeof value));
	if (f.kind == ARCH_FLOW_CALL || f.kind == ARCH_FLOW_JUMP)
		FUZZ_EXPECT(arch_pc(&r) == f.target);
	else if (f.kind == ARCH_FLOW_BRANCH)
		FUZZ_EXPECT(arch_pc(&r) == f.target || arch_pc(&r) == next);
	else
		FUZZ_EXPECT(arch_pc(&r) == next);
}

static void check_insn(const uint8_t *code, size_t len, const struct head *h)
{
	const taddr at = (UINT64_C(1) << 46) + h->at;
	struct arch_insn i;
	struct arch_flow f;
	const int err = arch_decode(code, len, &i);

	FUZZ_EXPECT(!err || err == -EILSEQ);
	FUZZ_EXPECT(arch_flow(code, len, at, &f) == !err);
	if (err)
		return;
	FUZZ_EXPECT(i.size && i.size <= len && i.size == f.size);
	FUZZ_EXPECT(!memcmp(i.bytes, code, i.size));
	if (i.how == ARCH_EMULATE)
		check_emulated(&i, at, h);
	else if (i.how != ARCH_STEP)
		check_moved(&i, at, at + (taddr)(int64_t)h->to_slot);
}

/* Those that look at a fixed number of bytes. */
static void look_around(const uint8_t *code, size_t len, taddr at)
{
	if (len >= ARCH_CALL_MAX)
		arch_ends_in_call(code);
	if (len >= 5)
		arch_direct_call_target(code, at);
	if (len >= ARCH_STUB_SIZE) {
		arch_stub_got_entry(code, at);
		arch_is_signal_return(code);
	}
	FUZZ_EXPECT(arch_find_syscall(code, len) < (ssize_t)len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct head h;
	size_t len;
	char *code = fuzz_behind(data, size, &h, sizeof h, &len);

	if (!code)
		return 0;
	for (size_t at = 0; at <= len && at < 16; at++)
		check_insn((uint8_t *)code + at, len - at, &h);
	look_around((uint8_t *)code, len, h.at);
	free(code);
	return 0;
}
