/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_UNWIND_H
#define MPROF_UNWIND_H

#include "alloc_event.h"
#include "arch/arch.h"
#include "proc/modules.h"
#include "attach/task.h"

/*
 * Registers and a snapshot of the stack -> call chain. libunwind interprets the call frame
 * information; everything that it reads comes from here: registers and stack from one snapshot, the
 * rest through a small cache. Its own ptrace accessors are not used: they read word by word, and
 * open files by the names in the program's maps.
 */
struct unwinder;

struct unwind_frame {
	taddr pc;	/* a return address; or, if exact, the instruction a signal interrupted */
	taddr cfa;	/* the stack pointer before the call that this frame is in; 0: not known */
	bool exact;
	bool guessed;	/* found by the frame pointer: its callee has no call frame information */
	uint64_t memo;	/* for unwinder_note(); UINT64_MAX: nothing can be noted */
};

/*
 * Knows code in the program that is ours and may be in chains: as a caller it is left out of them,
 * and if a signal has interrupted it, it stands for a function of the program's.
 */
struct unwind_foreign {
	/* Is such code at @pc? */
	bool (*has)(void *ctx, taddr pc);
	/**
	 * From a frame in such code to the one that replaces it: if it is @exact, that of a
	 * function that has not begun yet, or not got far; otherwise its caller's. Returns false if
	 * that is not known. @read, with @reader, reads a word.
	 */
	bool (*leave)(void *ctx, struct arch_frame *f, bool exact,
		      bool (*read)(void *reader, taddr at, uint64_t *word), void *reader);
	void *ctx;
};

struct unwind_chain {
	struct unwind_frame *frames;	/* innermost first; belong to the unwinder, until the next
					   call */
	size_t n;
	size_t foreign;	/* index of the frame before which a caller of ours was left out; SIZE_MAX:
			   none was */
	enum chain_end truncated; /* not CHAIN_WHOLE: not followed to its end */
	bool reached;	/* the last frame is the goal; what is further out was not unwound */
	struct path *path; /* for unwinder_note_chain(); NULL: nothing can be noted */
};

/* A frame that is sought in a chain. */
struct unwind_goal {
	/* Is it the frame that continues at @pc, with the stack pointer @sp, when the function of
	 * the frame @inner has returned? Called for each but the innermost, going outwards; also
	 * for a frame that a signal has interrupted. */
	bool (*is_it)(void *ctx, taddr pc, taddr sp, const struct unwind_frame *inner);
	void *ctx;
};

/* The longest chain that is followed. */
#define UNWIND_MAX_FRAMES 1000000

/* NULL: out of memory. */
struct unwinder *unwinder_new(void);
void unwinder_free(struct unwinder *u);

/* Remember @number for the place of a frame, until the next flush; unwinder_noted() returns it, or
 * UINT32_MAX. So a frame that is found again by the same step needs no other look-up. */
void unwinder_note(struct unwinder *u, const struct unwind_frame *f, uint32_t number);
uint32_t unwinder_noted(const struct unwinder *u, const struct unwind_frame *f);

/* The same for a whole chain: *n numbers, without those of frames that are left out; NULL: nothing
 * is remembered. */
void unwinder_note_chain(const struct unwind_chain *chain, const uint32_t *numbers, size_t n);
const uint32_t *unwinder_noted_chain(const struct unwind_chain *chain, size_t *n);

/* Compare every chain with one unwound without anything remembered; for tests. */
void unwinder_check(struct unwinder *u, bool on);

/* Set a function that replaces breakpoints by the program's own bytes in @code, read from @at. */
void unwinder_own_bytes(struct unwinder *u,
			void (*own_bytes)(void *ctx, taddr at, uint8_t *code, size_t len),
			void *ctx);

/* @foreign is copied; its ctx stays the caller's. */
void unwinder_foreign(struct unwinder *u, const struct unwind_foreign *foreign);

struct unwind_counts {
	uint64_t steps_known, steps_made; /* steps of chains remembered as a whole count as known */
	uint64_t checked, wrong;	/* chains compared, and found to differ */
};

struct unwind_counts unwinder_counts(const struct unwinder *u);

/* The mappings have changed, or the space is another one: drop what was remembered. */
void unwinder_flush(struct unwinder *u);

/* The next chains are of a thread that began to run at @start_pc, with the stack pointer @start_sp;
 * 0: not known. This tells where a chain ends if its outermost functions have no call frame
 * information. */
void unwinder_thread(struct unwinder *u, taddr start_pc, taddr start_sp);

/**
 * Take a snapshot of the stack from @sp upwards.
 * Returns 0 or -errno: it is not readable.
 */
int unwinder_snapshot(struct unwinder *u, const struct address_space *s, taddr sp);

/* The same for a stack of which @len bytes were copied earlier. 0 or -ENOMEM. */
int unwinder_snapshot_copy(struct unwinder *u, const struct address_space *s, taddr sp,
			   const void *bytes, size_t len);

/* A word of the space's memory, from the snapshot if it is there. False: not readable. */
bool unwinder_word(struct unwinder *u, taddr at, uint64_t *value);

/* The same for a word far up the stack: the stack up to there is not read. */
bool unwinder_far_word(struct unwinder *u, taddr at, uint64_t *value);

/* The entry of the function of frame @f, by its call frame information; 0: it has none. */
taddr unwinder_function(struct unwinder *u, const struct mappings *maps,
			const struct module_files *files, const struct unwind_frame *f);

/**
 * The call chain, beginning with the call that will return to @ret.
 * @entry  the registers at the entry of the called function; the snapshot was taken from there
 * @goal   follow the chain only to this frame; NULL, or if it is not in the chain: to its end
 * Returns 0 or -ENOMEM.
 */
int unwinder_chain(struct unwinder *u, const struct mappings *maps,
		   const struct module_files *files, const struct arch_regs *entry, taddr ret,
		   const struct unwind_goal *goal, struct unwind_chain *out);

#endif
