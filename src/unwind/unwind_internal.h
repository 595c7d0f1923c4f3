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
	unsigned reads;		/* words libunwind has asked for in this step */
	bool no_cfi;		/* libunwind was told that there is none, and may go on by
				   guessing */
	enum chain_end end;	/* why a walk did not come to the chain's end */
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

/* What libunwind asks, it asks these; their argument is the unwinder. */
extern unw_accessors_t unwind_accessors;

/* Is the page at @at one that nobody can write to? For struct snapshot; @ctx is the unwinder. */
bool unwind_cannot_change(void *ctx, taddr at);

/* unw_step(), of which an expression that runs in a circle makes an end, too. */
int unwind_step(struct unwinder *u, unw_cursor_t *c);

/* 0 or -ENOMEM. */
int unwind_push(struct unwinder *u, size_t *n, struct unwind_frame f);

/* Is the frame at @pc that is about to be added, with @sp, the one that is looked for? */
bool unwind_reaches(struct unwinder *u, size_t n, taddr pc, taddr sp);

/* May a step have led from a frame at @from to one at @to, where @cfa is the first one's? */
bool unwind_is_progress(struct unwinder *u, taddr from, taddr to, taddr cfa);

/* Is the code at @pc, of a frame that is @exact or a caller's, not the program's? */
bool unwind_is_foreign(const struct unwinder *u, taddr pc, bool exact);

/**
 * The frame that @c has come to, at *@pc with *@sp: as long as it is in code that is not the
 * program's, on to the one that takes its place. @n: frames within it.
 * Returns false if that cannot be told.
 */
bool unwind_leave_foreign(struct unwinder *u, unw_cursor_t *c, size_t n, bool exact, taddr *pc,
			  taddr *sp);

/* May a call return to @pc, or is that 0, which is the outermost caller of all? */
bool unwind_is_caller(struct unwinder *u, taddr pc);

/* Is the code at @pc where the thread, or its program, was started? */
bool unwind_is_start(struct unwinder *u, taddr pc);

/* The caller of a frame at @sp that nothing describes, if that can only be where the thread was
 * started. */
bool unwind_start_caller(struct unwinder *u, taddr sp, struct guess *out);

/* Does the code at @pc return from a signal handler? */
bool unwind_is_signal_return(struct snapshot *memory, taddr pc);

/**
 * The whole chain into u->frames, by libunwind in one go, with nothing remembered.
 * @complete  whether it came to the outermost frame, or to the one that is sought; if not, u->end
 *            says why
 * Returns 0 or -ENOMEM.
 */
int unwind_afresh(struct unwinder *u, const struct arch_regs *entry, taddr ret, size_t *n,
		  bool *complete);

#endif
