/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_UNWIND_INTERNAL_H
#define MPROF_UNWIND_INTERNAL_H

#include "unwind/guess.h"
#include "unwind/paths.h"
#include "unwind/snapshot.h"
#include "unwind/steps.h"
#include "unwind/tables.h"
#include "unwind/unwind.h"

#include <libunwind.h>

struct unwinder {
	unw_addr_space_t as;
	struct snapshot memory;
	struct cfi_tables tables;
	struct code_known code;
	struct unwind_frame *frames;
	size_t cap_frames;

	taddr start_pc, start_sp;	/* unwinder_thread() */
	struct unwind_foreign foreign;	/* has is NULL: there is none */

	/* of the chain in progress */
	const struct mappings *maps;
	const struct unwind_goal *goal;	/* NULL: none */
	bool reached;			/* the last frame is it */
	struct arch_regs regs;
	unsigned reads;		/* words that libunwind has read in this step */
	bool no_cfi;		/* libunwind was told that there is none, and may have guessed */
	enum chain_end end;	/* why a walk did not reach the chain's end */
	size_t left_out;	/* unwind_chain.foreign */

	/* of the step in progress: what it depends on */
	struct step step;
	bool recording;
	bool unrepeatable;	/* it depends on something that is not recorded */

	struct steps steps;
	struct paths paths;
	bool check;
	struct unwind_counts counts;
};

/* libunwind's accessors; their argument is the unwinder. */
extern unw_accessors_t unwind_accessors;

/* Is the page at @at read-only? For struct snapshot; @ctx is the unwinder. */
bool unwind_cannot_change(void *ctx, taddr at);

/* unw_step(), which also ends if an expression loops. */
int unwind_step(struct unwinder *u, unw_cursor_t *c);

/* 0 or -ENOMEM. */
int unwind_push(struct unwinder *u, size_t *n, struct unwind_frame f);

/* Is the frame at @pc with @sp, which is about to be added, the goal? */
bool unwind_reaches(struct unwinder *u, size_t n, taddr pc, taddr sp);

/* May a step lead from a frame at @from, with @cfa, to one at @to? */
bool unwind_is_progress(struct unwinder *u, taddr from, taddr to, taddr cfa);

/* Is the code at @pc, of a frame that is @exact or a caller's, ours? */
bool unwind_is_foreign(const struct unwinder *u, taddr pc, bool exact);

/**
 * While the frame of @c, at *@pc with *@sp, is in code of ours, go to the one that replaces it. @n:
 * the number of frames inside of it.
 * Returns false if that is not known.
 */
bool unwind_leave_foreign(struct unwinder *u, unw_cursor_t *c, size_t n, bool exact, taddr *pc,
			  taddr *sp);

/* May a call return to @pc, or is that 0, which marks the outermost frame? */
bool unwind_is_caller(struct unwinder *u, taddr pc);

/* Was the thread, or its program, started in the code at @pc? */
bool unwind_is_start(struct unwinder *u, taddr pc);

/* The caller of a frame at @sp without call frame information, if that must be where the thread was
 * started. */
bool unwind_start_caller(struct unwinder *u, taddr sp, struct guess *out);

/* Is the code at @pc a signal handler's return trampoline? */
bool unwind_is_signal_return(struct snapshot *memory, taddr pc);

/**
 * Unwind the whole chain into u->frames, by libunwind in one walk, with nothing remembered.
 * @complete  whether it reached the outermost frame, or the goal; if not, u->end says why
 * Returns 0 or -ENOMEM.
 */
int unwind_afresh(struct unwinder *u, const struct arch_regs *entry, taddr ret, size_t *n,
		  bool *complete);

#endif
