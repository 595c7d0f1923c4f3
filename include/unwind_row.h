/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_UNWIND_ROW_H
#define MPROF_UNWIND_ROW_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Rows of unwind tables: how to find a frame's caller, for each range of code. symbols/cfirows.c
 * makes them from call frame information; the code here, which reads them, may run without a C
 * library, inside of a program.
 *
 * A row says how to find the caller's stack pointer (the CFA), below which is the return address,
 * and its frame pointer; other registers are not covered.
 */
struct unwind_row {
	uint32_t pc;	/* of its first byte, relative to the start of the table's code */
	uint16_t cfa;
	uint16_t fp;
};

/*
 * cfa: the CFA is the stack pointer plus this number of words, up to a quarter of a MiB. With this
 * bit it is one of enum unwind_cfa, with a signed number of words in the low bits.
 */
#define UNWIND_CFA_OTHER 0x8000
#define UNWIND_CFA_KIND 0xf000
#define UNWIND_CFA_NUMBER 0x0fff
enum unwind_cfa {
	/* The frame pointer plus number words. */
	UNWIND_CFA_FP = 0x8000,
	/* The word at the frame pointer plus number words: gcc's DRAP, in a function that has
	 * aligned its stack. */
	UNWIND_CFA_AT_FP = 0x9000,
	/* The word at the stack pointer plus number words, and one word more: assembler code that
	 * has aligned its stack. */
	UNWIND_CFA_AT_SP = 0xa000,
	/* The stack pointer plus one word; in each 16 bytes of code, from byte number on, two
	 * words: PLT stubs. */
	UNWIND_CFA_STUB = 0xb000,
	/* The caller is the frame that a signal has interrupted. Its stack pointer is the word at
	 * the stack pointer plus number words, its pc the word behind. */
	UNWIND_CFA_SIGNAL = 0xc000,
	/* There is no caller: the outermost frame of a thread. */
	UNWIND_CFA_END = 0xd000,
	/* There is no call frame information for this code. */
	UNWIND_CFA_NONE = 0xe000,
	/* Its call frame information cannot be expressed in a row. */
	UNWIND_CFA_UNSAID = 0xf000,
};

/* fp: 0: the frame pointer is kept; else one of these, with a signed number of words in the low
 * bits. */
#define UNWIND_FP_KIND 0xc000
#define UNWIND_FP_NUMBER 0x3fff
enum unwind_fp {
	UNWIND_FP_KEPT = 0,
	/* Saved at the CFA plus number words. */
	UNWIND_FP_AT_CFA = 0x4000,
	/* Saved at the CFA's base, stack or frame pointer, plus number words. */
	UNWIND_FP_AT_BASE = 0x8000,
	/* Not known. */
	UNWIND_FP_LOST = 0xc000,
};

#define UNWIND_WORD 8

/* The signed number in the bits @mask. */
static inline int64_t unwind_number(uint16_t v, uint16_t mask)
{
	int64_t sign = (mask + 1) / 2;

	return ((v & mask) ^ sign) - sign;
}

/**
 * The row of the code at @at, relative to the start of the table's code and within it.
 * @index  for each 1 << @shift bytes of the code the number of the row that its first byte has;
 *         and at the end that of the last row
 */
static inline const struct unwind_row *unwind_row_find(const struct unwind_row *rows,
						       const uint32_t *index, unsigned shift,
						       uint32_t at)
{
	uint32_t low = index[at >> shift], high = index[(at >> shift) + 1];

	while (low < high) {
		uint32_t i = high - (high - low) / 2;

		if (rows[i].pc <= at)
			low = i;
		else
			high = i - 1;
	}
	return &rows[low];
}

struct unwind_frame {
	uint64_t pc, sp, fp;
};

enum unwind_step {
	UNWIND_CALLER,		/* the frame is its caller's, whose pc is a return address */
	UNWIND_INTERRUPTED,	/* the same, but a signal has interrupted it: its pc is exact */
	UNWIND_END,		/* there is no caller */
	UNWIND_UNKNOWN,		/* the row does not say */
	UNWIND_UNREADABLE,	/* memory could not be read */
};

/* Read the word at an address. False: it cannot be. */
typedef bool unwind_read(void *ctx, uint64_t at, uint64_t *word);

/* The addresses that a row leads to, before anything of the caller is read. */
struct unwind_places {
	uint64_t base;	/* what the CFA is relative to */
	uint64_t top;	/* the CFA, or, if a signal has interrupted the caller, its stack pointer */
	uint64_t pc_at;	/* where the caller's pc is */
};

static inline uint64_t unwind_words(uint64_t from, int64_t words)
{
	return from + (uint64_t)words * UNWIND_WORD;
}

static inline __attribute__((always_inline)) enum unwind_step
unwind_row_places(uint16_t cfa, const struct unwind_frame *f, struct unwind_places *out,
		  unwind_read *read, void *ctx)
{
	int64_t words = unwind_number(cfa, UNWIND_CFA_NUMBER);

	out->base = f->sp;
	if (!(cfa & UNWIND_CFA_OTHER)) {
		out->top = unwind_words(f->sp, cfa);
		out->pc_at = unwind_words(out->top, -1);
		return UNWIND_CALLER;
	}
	switch (cfa & UNWIND_CFA_KIND) {
	case UNWIND_CFA_FP:
		out->base = f->fp;
		out->top = unwind_words(f->fp, words);
		break;
	case UNWIND_CFA_AT_FP:
		out->base = f->fp;
		if (!read(ctx, unwind_words(f->fp, words), &out->top))
			return UNWIND_UNREADABLE;
		break;
	case UNWIND_CFA_AT_SP:
		if (!read(ctx, unwind_words(f->sp, words), &out->top))
			return UNWIND_UNREADABLE;
		out->top = unwind_words(out->top, 1);
		break;
	case UNWIND_CFA_STUB:
		out->top = unwind_words(f->sp, (int64_t)(f->pc % 16) < words ? 1 : 2);
		break;
	case UNWIND_CFA_SIGNAL:
		if (!read(ctx, unwind_words(f->sp, words), &out->top))
			return UNWIND_UNREADABLE;
		out->pc_at = unwind_words(f->sp, words + 1);
		return UNWIND_INTERRUPTED;
	case UNWIND_CFA_END:
		return UNWIND_END;
	default:
		return UNWIND_UNKNOWN;
	}
	out->pc_at = unwind_words(out->top, -1);
	return UNWIND_CALLER;
}

/**
 * From a frame to its caller.
 * @cfa, @fp  of the row at the frame's pc (if that is a return address: at the byte before it)
 * @f         the frame; becomes the caller's if there is one, and else stays what it is. A frame
 *            pointer that is lost becomes 0, which leads nowhere
 * @fp_at     where the caller's frame pointer was found; 0: nowhere, it was kept or is lost
 * @read      becomes part of this where the compiler knows it
 */
static inline __attribute__((always_inline)) enum unwind_step
unwind_row_step(uint16_t cfa, uint16_t fp, struct unwind_frame *f, uint64_t *fp_at,
		unwind_read *read, void *ctx)
{
	int64_t words = unwind_number(fp, UNWIND_FP_NUMBER);
	enum unwind_fp kind = fp & UNWIND_FP_KIND;
	struct unwind_places at;
	struct unwind_frame caller = { .fp = kind == UNWIND_FP_LOST ? 0 : f->fp };
	enum unwind_step step = unwind_row_places(cfa, f, &at, read, ctx);
	uint64_t saved_at = 0;

	if (step != UNWIND_CALLER && step != UNWIND_INTERRUPTED)
		return step;
	if (kind == UNWIND_FP_AT_CFA)
		saved_at = unwind_words(at.top, words);
	else if (kind == UNWIND_FP_AT_BASE)
		saved_at = unwind_words(at.base, words);
	caller.sp = at.top;
	if (!read(ctx, at.pc_at, &caller.pc) || (saved_at && !read(ctx, saved_at, &caller.fp)))
		return UNWIND_UNREADABLE;
	*f = caller;
	*fp_at = saved_at;
	return step;
}

#endif
