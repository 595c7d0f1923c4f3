/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_UNWIND_H
#define MPROF_UNWIND_H

#include "alloc_event.h"
#include "arch/arch.h"
#include "proc/modules.h"
#include "attach/task.h"

/*
 * Registers and a snapshot of the stack -> call chain. libunwind interprets the call frame
 * information; everything it asks for is answered from here: registers and stack from one
 * snapshot, the rest through a small cache. Its own ptrace accessors are not used: they read
 * word by word, and open files by the names in the program's maps.
 */
struct unwinder;

struct unwind_frame {
	taddr pc;	/* a return address; or, if exact, the instruction a signal interrupted */
	taddr cfa;	/* the stack pointer before the call that this frame is in; 0: not known */
	bool exact;
	bool guessed;	/* found by the frame pointer: nothing describes the frame of what it
			   called */
	uint64_t memo;	/* where unwinder_note() remembers something about it; UINT64_MAX:
			   nowhere */
};

/*
 * Who knows code in the program that is not the program's, through which chains may lead: as a
 * caller it is left out of them, and interrupted by a signal it stands for a function of the
 * program's.
 */
struct unwind_foreign {
	/* Is such code at @pc? */
	bool (*has)(void *ctx, taddr pc);
	/**
	 * From a frame in it to the one that takes its place: if it is @exact a function's that has
	 * not begun yet, or not got far; else its caller's.
	 * Returns false if that cannot be told. @read, with @reader, reads a word.
	 */
	bool (*leave)(void *ctx, struct arch_frame *f, bool exact,
		      bool (*read)(void *reader, taddr at, uint64_t *word), void *reader);
	void *ctx;
};

struct unwind_chain {
	struct unwind_frame *frames;	/* innermost first; belong to the unwinder, until the next
					   call */
	size_t n;
	size_t foreign;	/* before so many of them there is a caller that is left out; SIZE_MAX:
			   none is */
	enum chain_end truncated; /* not CHAIN_WHOLE: not followed to its end */
	bool reached;	/* the last frame is the one that was sought: how it goes on is not known */
	struct path *path; /* where unwinder_note_chain() remembers something about it; NULL:
			      nowhere */
};

/* A frame that somebody looks for in a chain. */
struct unwind_goal {
	/* Is it the frame that goes on at @pc, with the stack pointer @sp, when the function in
	 * which the frame @inner is has returned? Asked of each but the innermost, from the inner
	 * end outwards; also of what a signal has interrupted, which goes on there by itself. */
	bool (*is_it)(void *ctx, taddr pc, taddr sp, const struct unwind_frame *inner);
	void *ctx;
};

/* The longest chain that is followed. */
#define UNWIND_MAX_FRAMES 1000000

/* NULL: out of memory. */
struct unwinder *unwinder_new(void);
void unwinder_free(struct unwinder *u);

/* Remember @number for the place of a frame, until the next flush; unwinder_noted() tells it, or
 * UINT32_MAX. A frame met again by the same way needs no other look-up. */
void unwinder_note(struct unwinder *u, const struct unwind_frame *f, uint32_t number);
uint32_t unwinder_noted(const struct unwinder *u, const struct unwind_frame *f);

/* The same for all frames of a whole chain that are to be in it, *n of them; NULL: nothing is
 * remembered. */
void unwinder_note_chain(const struct unwind_chain *chain, const uint32_t *numbers, size_t n);
const uint32_t *unwinder_noted_chain(const struct unwind_chain *chain, size_t *n);

/* Check every chain against one unwound without anything remembered; for tests. */
void unwinder_check(struct unwinder *u, bool on);

/* Who knows where breakpoints stand: puts the program's own bytes in their place in @code, read
 * from @at. */
void unwinder_own_bytes(struct unwinder *u,
			void (*own_bytes)(void *ctx, taddr at, uint8_t *code, size_t len),
			void *ctx);

/* @foreign is copied; its ctx stays the caller's. */
void unwinder_foreign(struct unwinder *u, const struct unwind_foreign *foreign);

struct unwind_counts {
	uint64_t steps_known, steps_made; /* the steps of a chain known as a whole are known */
	uint64_t checked, wrong;	/* chains compared, and found to differ */
};

struct unwind_counts unwinder_counts(const struct unwinder *u);

/* What is mapped has changed, or the space is another one: drop what was remembered. */
void unwinder_flush(struct unwinder *u);

/* Where the thread whose chains are asked for from here on has begun to run, and where its stack
 * pointer was then; 0: not known. It tells where a chain ends whose outermost functions nothing
 * describes. */
void unwinder_thread(struct unwinder *u, taddr start_pc, taddr start_sp);

/**
 * Take a snapshot of the stack from @sp upwards.
 * Returns 0 or -errno: nothing can be read there.
 */
int unwinder_snapshot(struct unwinder *u, const struct address_space *s, taddr sp);

/* The same of a stack of which @len bytes were copied at some earlier moment. 0 or -ENOMEM. */
int unwinder_snapshot_copy(struct unwinder *u, const struct address_space *s, taddr sp,
			   const void *bytes, size_t len);

/* A word of the space's memory, from the snapshot if it is there. False: not readable. */
bool unwinder_word(struct unwinder *u, taddr at, uint64_t *value);

/* The same of a word far up the stack of which nothing below is asked for: that is not read. */
bool unwinder_far_word(struct unwinder *u, taddr at, uint64_t *value);

/* Where the function begins that the frame @f is in, as its call frame information tells; 0: it has
 * none. */
taddr unwinder_function(struct unwinder *u, const struct mappings *maps,
			const struct module_files *files, const struct unwind_frame *f);

/**
 * The chain of calls from the one that will return to @ret on.
 * @entry  the registers at the entry of the function that was called; snapshot taken from there
 * @goal   follow it to this frame only; NULL, or it is not in the chain: to its end
 * Returns 0 or -ENOMEM.
 */
int unwinder_chain(struct unwinder *u, const struct mappings *maps,
		   const struct module_files *files, const struct arch_regs *entry, taddr ret,
		   const struct unwind_goal *goal, struct unwind_chain *out);

#endif
