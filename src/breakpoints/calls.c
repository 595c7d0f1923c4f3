/* SPDX-License-Identifier: BSD-2-Clause */
#include "breakpoints/calls.h"

#include "base/array.h"

#include <stdlib.h>

void calls_release(struct calls *c)
{
	while (c->n)
		calls_pop(c);
	free(c->v);
	*c = (struct calls){ 0 };
}

enum entry_verdict calls_judge(const struct call *p, const struct call_entry *e, taddr word)
{
	if (!p)
		return ENTRY_OUTER;
	if (e->slot == p->slot && e->ret == p->ret) {
		/* The wrapper has been called again, for something else. */
		if (p->by_wrapper && e->trap != p->trap && !(e->freed && e->freed == p->ptr))
			return ENTRY_ABANDONED;
		/* reallocarray jumps to realloc, realloc(NULL, n) to malloc: same slot, same return
		 * address. The very same entry twice is a call that a signal pushed back to its start,
		 * or the same call made again, after a longjmp out of it or a return not watched. */
		return e->trap == p->trap ? ENTRY_RESTARTED : ENTRY_NESTED;
	}
	if (p->interrupted)
		return ENTRY_UNWIND;
	/* The stack grows down: whoever is called from inside of it has its return address below. That
	 * the word is still in its place may be chance: after a longjmp out of the call, or a return
	 * that is not watched, nothing need have been written there. */
	return e->slot < p->slot && word == p->ret ? ENTRY_UNWIND : ENTRY_ABANDONED;
}

enum entry_verdict calls_judge_cut(const struct call *p, const struct call_entry *e)
{
	/* A free that hands its block on is in that call. For others the word on the stack has to do:
	 * if the return is watched, it has not been seen. */
	if (!p->unwatched || (e->freed && e->freed == p->ptr))
		return ENTRY_NESTED;
	return ENTRY_ABANDONED;
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
}
