/* SPDX-License-Identifier: BSD-2-Clause */
/* From a frame to its caller, by the rows of mapped code. */
#include "agent/step.h"

#include "agent/agent_internal.h"
#include "unwind_row.h"

/* The memory that may be read: the stack from the frame on. */
struct stack {
	uint64_t lo, hi;
};

static inline bool read_word(void *ctx, uint64_t at, uint64_t *word)
{
	const struct stack *s = ctx;

	if (at < s->lo || at >= s->hi || s->hi - at < sizeof *word)
		return false;
	return arch_read(at, word);
}

static const struct agent_module *find_module(const struct agent_shared *s, uint64_t pc)
{
	const struct agent_modules *all = (const struct agent_modules *)(uintptr_t)__atomic_load_n(
		&s->modules, __ATOMIC_ACQUIRE);
	uint64_t lo = 0, hi = all ? all->n : 0;

	while (lo < hi) {
		uint64_t mid = (lo + hi) / 2;
		const struct agent_module *m = &all->v[mid];

		if (pc < m->lo)
			hi = mid;
		else if (pc >= m->hi)
			lo = mid + 1;
		else
			return m;
	}
	return AGENT_NULL;
}

static bool search_row(const struct agent_shared *s, uint64_t pc, struct agent_row *out)
{
	const struct agent_module *m = find_module(s, pc);

	if (!m)
		return false;
	const struct unwind_row *row = unwind_row_find(
		(const struct unwind_row *)(uintptr_t)m->rows,
		(const uint32_t *)(uintptr_t)m->index, (unsigned)m->shift, (uint32_t)(pc - m->lo));

	*out = (struct agent_row){ row->cfa, row->fp };
	return true;
}

/* Mostly the row has been found before. It is safe to remember a row a little late: code that a
 * frame is in is not unmapped before the frame is gone. */
static bool find_row(struct agent_shared *s, uint64_t pc, struct agent_row *out)
{
	if (agent_row_is_known(s, pc, out))
		return true;
	if (!search_row(s, pc, out))
		return false;
	__atomic_store_n(&s->rows[pc % AGENT_ROW_SLOTS],
			 pc / AGENT_ROW_SLOTS << 32 | (uint32_t)out->cfa << 16 | out->fp,
			 __ATOMIC_RELAXED);
	return true;
}

/* Do the caller's stack pointer and frame pointer depend on more than the two words that are
 * compared? */
static bool is_special(const struct agent_row *r)
{
	uint16_t kind = r->cfa & UNWIND_CFA_KIND;

	return (r->fp & UNWIND_FP_KIND) == UNWIND_FP_LOST ||
	       (r->cfa & UNWIND_CFA_OTHER && kind != UNWIND_CFA_FP && kind != UNWIND_CFA_STUB);
}

static bool is_by_fp(const struct agent_row *r)
{
	uint16_t kind = r->cfa & UNWIND_CFA_KIND;

	return r->cfa & UNWIND_CFA_OTHER &&
	       (kind == UNWIND_CFA_FP || kind == UNWIND_CFA_AT_FP);
}

enum agent_step agent_step(struct agent_shared *s, struct agent_frame *f, uint64_t hi,
			   struct agent_frame *caller)
{
	struct unwind_frame frame = { f->pc, f->sp, f->fp };
	struct stack stack = { f->sp, hi };
	struct agent_row row;
	enum unwind_step step;

	if (!find_row(s, f->pc - !f->exact, &row))
		return STEP_NO_ROW;
	step = unwind_row_step(row.cfa, row.fp, &frame, &f->fp_at, read_word, &stack);
	f->special = is_special(&row) ? SPECIAL_STEP : 0;
	f->by_fp = is_by_fp(&row);
	caller->pc = frame.pc;
	caller->sp = frame.sp;
	caller->fp = frame.fp;
	caller->exact = step == UNWIND_INTERRUPTED;
	switch (step) {
	case UNWIND_CALLER:
		if (frame.pc)
			return STEP_CALLER;
		f->special = SPECIAL_ZERO;
		return STEP_OUTERMOST;
	case UNWIND_INTERRUPTED:
		return STEP_SIGNAL;
	case UNWIND_END:
		return STEP_OUTERMOST;
	case UNWIND_UNREADABLE:
		return STEP_UNREADABLE;
	default:
		return STEP_NO_ROW;
	}
}
