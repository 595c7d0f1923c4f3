/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One step of unwinding for the agent's tests: by frame pointers, with the pads of agent_fixture.h
 * and signal frames of Linux. The modules have no rows. Linked with the agent, and into the blob
 * that is tested.
 */
#include "agent/step.h"

#include "agent/agent_internal.h"

/* Of memory that is there. */
static uint64_t load(uint64_t at)
{
	uint64_t word = 0;

	arch_read(at, &word);
	return word;
}

/* What a frame pointer leads to may be anything: only code is looked at. */
static bool is_code(const struct agent_shared *s, uint64_t pc)
{
	const struct agent_modules *all = (const struct agent_modules *)(uintptr_t)s->modules;

	for (uint64_t i = 0; all && i < all->n; i++)
		if (pc >= all->v[i].lo && pc < all->v[i].hi)
			return true;
	return false;
}

/* rt_sigreturn, as C libraries write it. */
static bool is_restorer(uint64_t pc)
{
	/* mov $15, %rax; syscall */
	static const uint8_t insns[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };

	for (unsigned i = 0; i < sizeof insns; i++)
		if (((const volatile uint8_t *)(uintptr_t)pc)[i] != insns[i])
			return false;
	return true;
}

enum { UCONTEXT_RBP = 120, UCONTEXT_RSP = 160, UCONTEXT_RIP = 168, UCONTEXT_END = 176 };

static enum agent_step from_signal(struct agent_frame *f, uint64_t hi, struct agent_frame *caller)
{
	if (f->sp + UCONTEXT_END > hi)
		return STEP_UNREADABLE;
	f->special = 1;
	caller->pc = load(f->sp + UCONTEXT_RIP);
	caller->sp = load(f->sp + UCONTEXT_RSP);
	caller->fp = load(f->sp + UCONTEXT_RBP);
	caller->exact = 1;
	return STEP_SIGNAL;
}

static bool in_pads(const struct agent_shared *s, uint64_t pc)
{
	return s->n_pads && pc >= s->pads[0].lo && pc < s->pads[0].hi;
}

/* Words that a pad has on the stack at a return address in it: three that it keeps, and two
 * registers more where agent_enter returns to, a test of its answer. */
static uint64_t words_at(uint64_t pc)
{
	const volatile uint8_t *insn = (const volatile uint8_t *)(uintptr_t)pc;

	return insn[0] == 0x84 && insn[1] == 0xc0 ? 5 : 3;
}

enum agent_step agent_step(struct agent_shared *s, struct agent_frame *f, uint64_t hi,
			   struct agent_frame *caller)
{
	f->fp_at = 0;
	f->special = 0;
	if (in_pads(s, f->pc)) {
		if (f->exact)
			return STEP_NO_ROW;
		uint64_t ret = f->sp + 8 * words_at(f->pc);

		if (ret + 8 > hi)
			return STEP_UNREADABLE;
		caller->pc = load(ret);
		caller->sp = ret + 8;
		caller->fp = f->fp;
		return STEP_CALLER;
	}
	if (f->pc >= s->agent_lo && f->pc < s->agent_hi)
		return STEP_NO_ROW;
	if (!f->exact && is_code(s, f->pc) && is_restorer(f->pc))
		return from_signal(f, hi, caller);
	f->by_fp = 1;
	if (!f->fp)
		return STEP_OUTERMOST;
	if (f->fp % 8 || f->fp < f->sp || f->fp > hi - 16)
		return STEP_UNREADABLE;
	f->fp_at = f->fp;
	caller->pc = load(f->fp + 8);
	caller->sp = f->fp + 16;
	caller->fp = load(f->fp);
	return STEP_CALLER;
}
