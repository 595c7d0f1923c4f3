/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_UNWIND_PATHS_H
#define MPROF_UNWIND_PATHS_H

#include "unwind/steps.h"
#include "unwind/unwind.h"

/*
 * Whole chains that have been walked before, each with all that its steps depend on: if every word
 * and every register is unchanged, so is the chain. This saves walking chains that a program has
 * again and again; other chains are walked step by step.
 */

#define PATH_SETS 32	     /* a power of two */
#define PATH_WAYS 4	     /* chains remembered with the same hash of pc and sp */
#define PATH_MAX_FRAMES 64   /* longer chains are not remembered */
#define PATH_MAX_CREDIT \
	8 /* misses in a row before a chain is replaced, at most */

struct path {
	taddr pc, sp;			/* where it begins */
	struct step_word *words;	/* of memory, which must be unchanged */
	size_t n_words, cap_words;
	uint64_t regs[ARCH_KEPT_REGS];
	unsigned consulted;		/* bit i: regs[i] must be unchanged */
	struct unwind_frame *frames;
	size_t n_frames, cap_frames;	/* 0: nothing is remembered here */
	uint32_t *numbers;		/* unwinder_note_chain() */
	size_t n_numbers, cap_numbers;
	bool numbered;
	unsigned credit;
};

struct paths {
	struct path v[PATH_SETS][PATH_WAYS];
	struct path next;		/* the chain that is being walked for the first time */
};

void paths_release(struct paths *p);
void paths_forget(struct paths *p);

/* The set for chains with this pc and sp: PATH_WAYS of them. */
struct path *paths_at(struct paths *p, taddr pc, taddr sp);

/* No chain of this set matches. The one to be replaced by the chain that is walked now, as p->next;
 * NULL: none yet. */
struct path *paths_make_room(struct paths *p, struct path *set);

/* Add a dependency of the chain. False: out of memory. */
bool path_needs_word(struct path *path, taddr at, uint64_t value);
void path_needs_reg(struct path *path, unsigned reg, uint64_t value);

/* p->next has been walked: it replaces @path. False: it cannot be remembered. */
bool path_take(struct paths *p, struct path *path, taddr pc, taddr sp,
	       const struct unwind_frame *frames, size_t n);

/* Remember the numbers of its frames. */
void path_number(struct path *path, const uint32_t *numbers, size_t n);

#endif
