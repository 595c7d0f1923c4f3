/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk of one frame as the agent's tests have it: by frame pointers, with pads as they are in
 * agent_fixture.h and signal frames of Linux. Linked with the agent, and into the blob that is
 * tested.
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

enum agent_step agent_step(const struct agent_shared *s, struct agent_frame *f, uint64_t hi,
			   struct agent_frame *caller)
{
	f->fp_at = 0;
	f->special = 0;
	if (in_pads(s, f->pc)) {
		if (f->exact)
			return STEP_NO_ROW;
		/* Three words that it keeps, and the return address. */
		if (f->sp + 32 > hi)
			return STEP_UNREADABLE;
		caller->pc = load(f->sp + 24);
		caller->sp = f->sp + 32;
		caller->fp = f->fp;
		return STEP_CALLER;
	}
	if (f->pc >= s->agent_lo && f->pc < s->agent_hi)
		return STEP_NO_ROW;
	if (!f->exact && f->pc >= 4096 && is_restorer(f->pc))
		return from_signal(f, hi, caller);
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
