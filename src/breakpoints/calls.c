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

bool calls_frees_same(const struct call *p, const struct call_entry *e)
{
	return p->unwatched && e->freed && e->freed == p->ptr;
}

/* An entry with the return address, and in the place, of the pending call's. */
static enum entry_verdict judge_same_frame(const struct call *p, const struct call_entry *e)
{
	/* reallocarray jumps to realloc, realloc(NULL, n) to malloc. The very same entry twice is a call
	 * that a signal pushed back to its start, or the same call made again after a longjmp out of it. */
	if (e->trap == p->trap)
		return ENTRY_RESTARTED;
	if (!p->unwatched || calls_frees_same(p, e))
		return ENTRY_NESTED;
	return ENTRY_ABANDONED;
}

enum entry_verdict calls_judge(const struct call *p, const struct call_entry *e, taddr word)
{
	if (!p)
		return ENTRY_OUTER;
	if (e->slot == p->slot && e->ret == p->ret)
		return judge_same_frame(p, e);
	if (p->interrupted)
		return ENTRY_UNWIND;
	/* The stack grows down: whoever is called from inside of it has its return address below. */
	if (e->slot >= p->slot || word != p->ret)
		return ENTRY_ABANDONED;
	/* Behind a return that was not seen the word may have stayed where it was. */
	return p->unwatched ? ENTRY_UNWIND : ENTRY_NESTED;
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
