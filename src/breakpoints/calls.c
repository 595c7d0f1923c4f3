/* SPDX-License-Identifier: BSD-2-Clause */
#include "breakpoints/calls.h"

#include "base/array.h"

#include <stdlib.h>

void calls_release(struct calls *c)
{
	while (c->n)
		calls_pop(c);
	free(c->v);
	free(c->nested);
	*c = (struct calls){ 0 };
}

enum entry_verdict calls_classify_entry(const struct call *p, const struct call_entry *e,
					taddr word)
{
	if (!p)
		return ENTRY_OUTER;
	if (e->ret_at == p->ret_at && e->ret == p->ret) {
		/* The wrapper has been called again, for something else. */
		if (p->by_wrapper && e->entry != p->entry && !(e->freed && e->freed == p->ptr))
			return ENTRY_ABANDONED;
		/* reallocarray jumps to realloc, realloc(NULL, n) to malloc: same ret_at, same
		 * return address. The same entry twice is a call that a signal pushed back to its
		 * first instruction, or the same call made again, after a longjmp out of it or a
		 * return that is not watched. */
		return e->entry == p->entry ? ENTRY_RESTARTED : ENTRY_NESTED;
	}
	if (p->interrupted)
		return ENTRY_UNWIND;
	/* The stack grows down: what is called inside has its return address below. That the word
	 * is still in its place may be chance: after a longjmp out of the call, or a return that is
	 * not watched, it need not have been overwritten. */
	return e->ret_at < p->ret_at && word == p->ret ? ENTRY_UNWIND : ENTRY_ABANDONED;
}

enum entry_verdict calls_judge_cut(const struct call *p, const struct call_entry *e)
{
	/* A free of the same block is nested in that free. For others the word on the stack
	 * decided: if the return is watched, the call has not returned. */
	if (!p->unwatched || (e->freed && e->freed == p->ptr))
		return ENTRY_NESTED;
	return ENTRY_ABANDONED;
}

enum entry_verdict calls_judge_seen(const struct call *p, const struct engine_seen *seen)
{
	if (!seen->whole)
		return ENTRY_UNWIND;
	if (seen->own)
		return ENTRY_IN_ENGINE;
	if (!p)
		return ENTRY_OUTER;
	/* The engine looked for that call, but a different one is the innermost by now. */
	if (p->ret_at != seen->outer_at)
		return ENTRY_UNWIND;
	if (!seen->outer)
		return ENTRY_ABANDONED;
	return seen->signal ? ENTRY_OUTER : ENTRY_NESTED;
}

/* ---- calls nested in the innermost pending one ---- */

static struct nested_call *last_nested(const struct calls *c)
{
	struct nested_call *last = c->n_nested ? &c->nested[c->n_nested - 1] : NULL;

	return last && last->of + 1 == c->n ? last : NULL;
}

bool calls_enter(struct calls *c, const struct call_entry *e)
{
	struct nested_call *last;

	while ((last = last_nested(c)) && last->ret_at <= e->ret_at) {
		/* The call instruction there reaches only the other function, which has jumped
		 * here. */
		if (last->certain && last->ret_at == e->ret_at && last->ret == e->ret &&
		    last->entry != e->entry)
			return true;
		c->n_nested--;
	}
	return false;
}

void calls_note_nested(struct calls *c, const struct call_entry *e, taddr sp_after, bool certain)
{
	const struct nested_call *last = last_nested(c);

	/* A return address that is not below the last one's is on another stack. Without a note
	 * unwinding only has to go further: so it is no error if there is no memory for it. */
	if ((last && last->ret_at <= e->ret_at) ||
	    ARRAY_RESERVE(&c->nested, &c->cap_nested, c->n_nested))
		return;
	c->nested[c->n_nested++] = (struct nested_call){
		.entry = e->entry, .ret_at = e->ret_at, .ret = e->ret, .sp_after = sp_after,
			.of = c->n - 1,
		.certain = certain,
	};
}

bool calls_is_pending(const struct calls *c, taddr pc, taddr sp)
{
	const struct call *top = &c->v[c->n - 1];

	return top->ret == pc && top->sp_after == sp;
}

const struct nested_call *calls_find_nested(const struct calls *c, taddr pc, taddr sp)
{
	size_t from = 0, to = c->n_nested;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		const struct nested_call *at = &c->nested[middle];

		if (at->of + 1 == c->n && at->sp_after == sp)
			return at->ret == pc ? at : NULL;
		if (at->of + 1 < c->n || at->sp_after > sp)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

bool calls_is_over(const struct calls *c, taddr sp)
{
	const struct call *top = &c->v[c->n - 1];

	/* After a signal the frames may be on another stack. */
	return !top->interrupted && sp >= top->sp_after;
}

ptrdiff_t calls_returning(const struct calls *c, taddr pc, taddr sp)
{
	for (size_t i = c->n; i-- > 0;)
		if (c->v[i].ret == pc && c->v[i].sp_after == sp)
			return (ptrdiff_t)i;
	return -1;
}

struct call *calls_push(struct calls *c)
{
	if (ARRAY_RESERVE(&c->v, &c->cap, c->n))
		return NULL;
	c->v[c->n] = (struct call){ 0 };
	return &c->v[c->n++];
}

void calls_pop(struct calls *c)
{
	free(c->v[--c->n].frames);
	while (c->n_nested && c->nested[c->n_nested - 1].of >= c->n)
		c->n_nested--;
}
