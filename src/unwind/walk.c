/* SPDX-License-Identifier: BSD-2-Clause */
/* A chain by libunwind in one walk, with nothing remembered. */
#include "unwind/unwind_internal.h"

#include "base/array.h"

#include <errno.h>
#include <string.h>

/* There are 64 signals; many more handlers than that on one stack are a loop. */
#define MAX_HANDLERS 128

int unwind_push(struct unwinder *u, size_t *n, struct unwind_frame f)
{
	if (ARRAY_RESERVE(&u->frames, &u->cap_frames, *n))
		return -ENOMEM;
	u->frames[(*n)++] = f;
	return 0;
}

bool unwind_reaches(struct unwinder *u, size_t n, taddr pc, taddr sp)
{
	u->reached = u->goal && n && u->goal->is_it(u->goal->ctx, pc, sp, &u->frames[n - 1]);
	return u->reached;
}

bool unwind_is_signal_return(struct snapshot *memory, taddr pc)
{
	uint8_t code[16];

	return snapshot_code(memory, pc, code, sizeof code) && arch_is_signal_return(code);
}

/* If a function is recursive its caller's frame has a return address of its own. With wrong tables
 * a step may lead to the same pc without one, again and again. */
bool unwind_is_progress(struct unwinder *u, taddr from, taddr to, taddr cfa)
{
	uint64_t word;

	/* The first step starts within the call instruction. */
	return (from != to && from - 1 != to) ||
	       (snapshot_word(&u->memory, cfa - sizeof word, &word) && word == to);
}

/* Call frame information may be wrong in code that switches stacks, as Go's runtime does to call C:
 * check that it leads to code. */
bool unwind_is_caller(struct unwinder *u, taddr pc)
{
	return !pc || code_known_has(&u->code, &u->memory, pc - 1);
}

/* The callee-saved registers of the frame of @c. */
static bool get_kept(unw_cursor_t *c, uint64_t kept[ARCH_KEPT_REGS])
{
	for (unsigned i = 0; i < ARCH_KEPT_REGS; i++)
		if (unw_get_reg(c, arch_kept_regs[i], &kept[i]))
			return false;
	return true;
}

enum stepped { STEPPED, GUESSED, OUTERMOST, LOST };

/* The frame @f of @from has no call frame information: set @c to its caller, if that is where the
 * thread was started, or otherwise by the frame pointer. */
static enum stepped step_without_cfi(struct unwinder *u, unw_cursor_t *from,
				     const struct unwind_frame *f, unw_cursor_t *c)
{
	uint64_t kept[ARCH_KEPT_REGS];
	unw_word_t sp;
	struct guess g;

	if (unw_get_reg(from, UNW_REG_SP, &sp) || !get_kept(from, kept))
		return LOST;
	bool certain = unwind_start_caller(u, sp, &g);
	if (!certain && !guess_caller(&u->code, &u->memory, f->pc - !f->exact, sp,
				      kept[arch_frame_pointer], &g))
		return LOST;
	if (!certain)
		kept[arch_frame_pointer] = g.saved;
	for (unsigned i = 0; i < ARCH_KEPT_REGS; i++)
		arch_set_kept(&u->regs, i, kept[i]);
	arch_set_caller(&u->regs, g.caller_pc - 1, g.caller_sp);
	if (unw_init_remote(c, u->as, u))
		return LOST;
	return certain ? STEPPED : GUESSED;
}

/* From the frame @f to its caller. LOST: u->end says why. */
static enum stepped step(struct unwinder *u, unw_cursor_t *c, const struct unwind_frame *f,
			 bool in_handler, unw_word_t *pc, unw_word_t *sp)
{
	unw_cursor_t before;

	memcpy(&before, c, sizeof before);
	*pc = *sp = 0;
	u->no_cfi = false;
	u->end = CHAIN_UNREADABLE;
	int more = unwind_step(u, c);
	bool no_cfi = u->no_cfi;
	enum stepped how = STEPPED;

	if (no_cfi) {
		/* libunwind guesses then, and does not tell. We make our own guess, and mark it. */
		u->end = CHAIN_NO_CFI;
		if (unwind_is_start(u, f->pc))
			return OUTERMOST;
		how = in_handler ? LOST : step_without_cfi(u, &before, f, c);
		if (how == LOST)
			return LOST;
		more = 1;
	}
	if (more < 0 || unw_get_reg(c, UNW_REG_SP, sp) || unw_get_reg(c, UNW_REG_IP, pc))
		return LOST;
	*pc += no_cfi;	/* the cursor is inside of the call instruction */
	if (!no_cfi && !in_handler && more > 0 && !unwind_is_progress(u, f->pc, *pc, *sp))
		return LOST;
	if (more > 0 && !in_handler && !unwind_is_caller(u, *pc)) {
		u->end = CHAIN_NO_CFI;
		return LOST;
	}
	return more == 0 || *pc == 0 ? OUTERMOST : how;
}

/* Frame by frame to the outermost, or the goal; *complete: it was reached. */
static int walk(struct unwinder *u, unw_cursor_t *c, size_t *n, bool *complete)
{
	unsigned handlers = 0;

	while (*n < UNWIND_MAX_FRAMES && handlers < MAX_HANDLERS) {
		struct unwind_frame *f = &u->frames[*n - 1];
		bool in_handler = unwind_is_signal_return(&u->memory, f->pc);
		unw_word_t pc, sp;
		enum stepped how = step(u, c, f, in_handler, &pc, &sp);

		if (how == LOST)
			return 0;
		f->cfa = sp;
		*complete = how == OUTERMOST;
		if (*complete)
			return 0;
		u->end = CHAIN_UNREADABLE;
		if (!unwind_leave_foreign(u, c, *n, in_handler, &pc, &sp))
			return 0;
		if (in_handler) {
			/* The return trampoline of a handler is no caller: it is replaced by the
			 * frame that the signal interrupted, maybe on another stack. */
			handlers++;
			*f = (struct unwind_frame){ .pc = pc, .exact = true, .guessed = f->guessed,
						    .memo = UINT64_MAX };
			/* A signal may come when a call has returned, before its breakpoint is
			 * hit. */
			*complete = unwind_reaches(u, *n - 1, pc, sp);
			if (*complete)
				return 0;
			continue;
		}
		/* Going outwards addresses only increase; otherwise the stack is broken or
		 * hostile. */
		if (*n > 1 && sp <= f[-1].cfa && !f->exact)
			return 0;
		*complete = unwind_reaches(u, *n, pc, sp);
		int err = unwind_push(u, n, (struct unwind_frame){
				.pc = pc, .guessed = how == GUESSED, .memo = UINT64_MAX });
		if (err || *complete)
			return err;
	}
	u->end = CHAIN_TOO_DEEP;
	return 0;
}

int unwind_afresh(struct unwinder *u, const struct arch_regs *entry, taddr ret, size_t *n,
		  bool *complete)
{
	unw_cursor_t c;

	*n = 0;
	*complete = u->reached = false;
	u->recording = false;
	u->left_out = SIZE_MAX;
	u->regs = *entry;
	u->end = CHAIN_UNREADABLE;
	int err = unwind_push(u, n, (struct unwind_frame){ .pc = ret, .memo = UINT64_MAX });
	/* Begin in the caller, inside of its call instruction: so the row does not depend on what
	 * follows the call, and the allocator needs no call frame information of its own. */
	arch_set_caller(&u->regs, ret - 1, arch_sp_after_return(entry));
	if (err || unw_init_remote(&c, u->as, u))
		return err;
	taddr sp = arch_sp_after_return(entry);
	if (!unwind_leave_foreign(u, &c, 0, false, &u->frames[0].pc, &sp))
		return 0;
	return walk(u, &c, n, complete);
}
