/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_UNWIND_STEPS_H
#define MPROF_UNWIND_STEPS_H

#include "arch/arch.h"
#include "base/idindex.h"

/*
 * Steps of unwinding, from a frame to its caller, that have been made before. A step depends on the
 * pc, the stack pointer, the registers that it uses and the words that it reads; if all of these
 * are unchanged, so is the result. Nothing is assumed about the rules that led to it.
 */

#define STEP_WORDS 3	/* a step that read more is not remembered */
#define STEP_REGS 2	/* nor one that used more registers */
#define STEP_NOT_SAVED INT32_MIN
#define STEPS_MAX (1u << 20) /* when there are so many all are forgotten */

struct step_word {
	taddr at;
	uint64_t value;
};

struct step_reg {
	uint64_t value;
	uint8_t reg;	/* index into arch_kept_regs[] */
};

struct step {
	taddr pc, sp;		/* of the frame that is left */
	taddr caller_pc, caller_sp;
	struct step_word words[STEP_WORDS];
	struct step_reg regs[STEP_REGS];
	/* Where the frame has saved the caller's registers, in bytes from sp, or STEP_NOT_SAVED. */
	int32_t saved[ARCH_KEPT_REGS];
	uint32_t number;	/* the caller's, see unwinder_note(); UINT32_MAX at first */
	uint32_t next;		/* the step that came after it the last time: a hint */
	uint8_t n_words, n_regs;
	bool outermost;		/* it has no caller */
	bool guessed;		/* the caller was found by the frame pointer, without call frame
				   information */
};

struct steps {
	struct step *v;
	size_t n, cap;
	struct idindex index;
	uint32_t generation;	/* counts how often all were forgotten */
};

void steps_release(struct steps *s);
void steps_forget(struct steps *s);

/* No step comes before. */
#define STEP_NONE UINT32_MAX

/* The remembered step from there. @before: the number of the step before it in this chain, or
 * STEP_NONE: chains repeat, so the step that came after that one the last time is tried first.
 * NULL: none is remembered. Valid until the next steps_add(). */
struct step *steps_find_after(struct steps *s, uint32_t before, taddr pc, taddr sp);

static inline uint32_t step_id(const struct steps *s, const struct step *step)
{
	return (uint32_t)(step - s->v);
}

/* Remember a step, in place of one from the same pc and sp. NULL: out of memory. */
struct step *steps_add(struct steps *s, const struct step *step);

#endif
