/* SPDX-License-Identifier: BSD-2-Clause */
#include "heapwalk/stacks.h"

#include <ucontext.h>

/* Is there a guard area in front of it, into which a stack would overflow? */
static bool is_guarded(const struct still *s, const struct still_area *a)
{
	return a > s->areas && a[-1].end == a->start && !a[-1].readable && !a[-1].writable;
}

/*
 * A thread's descriptor is at its thread pointer, and has, somewhere, the start of the stack
 * including its guard, and its size. Source: struct pthread of glibc, stackblock and
 * stackblock_size.
 */
static bool find_in_descriptor(struct still_reader *r, const struct still_task *t,
			       const struct still_area *a, taddr *start, taddr *end)
{
	enum { DESCRIPTOR = 0x900, WORD = 8 };
	taddr lowest = is_guarded(r->still, a) ? a[-1].start : a->start;

	for (taddr at = t->tp; at - t->tp < DESCRIPTOR; at += WORD) {
		uint64_t first, size;

		if (still_word(r, at, &first) && still_word(r, at + WORD, &size) &&
		    first >= lowest && first <= t->sp && size > t->tp - first &&
		    size <= a->end - first) {
			*start = first > a->start ? first : a->start;
			*end = first + size;
			return true;
		}
	}
	return false;
}

bool stack_of_task(struct still_reader *r, const struct still_task *t, taddr *start, taddr *end)
{
	const struct still_area *a = still_area_at(r->still, t->sp);

	if (a && a->kind == STILL_STACK) {
		*start = a->start;
		*end = a->end;
		return true;
	}
	return a && a->kind == STILL_ANON && t->tp > t->sp && t->tp < a->end &&
	       find_in_descriptor(r, t, a, start, end);
}

/* The kernel writes a ucontext_t to the stack that a handler runs on; its uc_stack has the bounds
 * of the alternate stack. Source: setup_rt_frame() of Linux. */
taddr stack_lowest(struct still_reader *r, const struct still_task *t, taddr start, taddr end)
{
	enum {
		WORD = 8,
		ALTERNATE_MAX = 256 << 10, /* most are much smaller */
		STACK_SP = offsetof(ucontext_t, uc_stack.ss_sp),
		STACK_SIZE = offsetof(ucontext_t, uc_stack.ss_size),
		INTERRUPTED_SP = offsetof(ucontext_t, uc_mcontext.gregs[REG_RSP]),
	};
	taddr lowest = t->sp;

	for (taddr at = (t->sp + WORD - 1) & ~(taddr)(WORD - 1);
	     at < end && at - t->sp < ALTERNATE_MAX; at += WORD) {
		uint64_t first = still_word_or_0(r, at + STACK_SP), sp;

		if (first < start || first > t->sp ||
		    still_word_or_0(r, at + STACK_SIZE) <= at - first ||
		    !still_word(r, at + INTERRUPTED_SP, &sp))
			continue;
		if (sp >= start && sp < lowest)
			lowest = sp;
	}
	return lowest;
}

bool stack_has_thread(struct still_reader *r, taddr at)
{
	enum { SELF = 16 };

	return at % STACK_THREAD_ALIGN == 0 && still_word_or_0(r, at) == at &&
	       still_word_or_0(r, at + SELF) == at;
}
