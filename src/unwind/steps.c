/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/steps.h"

#include "base/array.h"

#include <stdlib.h>

void steps_release(struct steps *s)
{
	free(s->v);
	idindex_release(&s->index);
	*s = (struct steps){ 0 };
}

void steps_forget(struct steps *s)
{
	idindex_release(&s->index);
	s->n = 0;
	s->generation++;
}

static uint64_t step_hash(taddr pc, taddr sp)
{
	return hash_mix(pc * 0x9e3779b97f4a7c15ull + sp);
}

static bool step_eq(const void *owner, uint32_t id, const void *key)
{
	const struct step *a = &((const struct steps *)owner)->v[id], *b = key;

	return a->pc == b->pc && a->sp == b->sp;
}

static uint64_t step_rehash(const void *owner, uint32_t id)
{
	const struct step *a = &((const struct steps *)owner)->v[id];

	return step_hash(a->pc, a->sp);
}

static struct step *find(const struct steps *s, taddr pc, taddr sp)
{
	struct step key = { .pc = pc, .sp = sp };
	uint32_t id = idindex_find(&s->index, step_hash(pc, sp), step_eq, s, &key);

	return id == IDINDEX_NONE ? NULL : &s->v[id];
}

struct step *steps_find_after(struct steps *s, uint32_t before, taddr pc, taddr sp)
{
	struct step *from = before < s->n ? &s->v[before] : NULL;
	struct step *next = from && from->next < s->n ? &s->v[from->next] : NULL;

	if (next && next->pc == pc && next->sp == sp)
		return next;
	next = find(s, pc, sp);
	if (from && next)
		from->next = step_id(s, next);
	return next;
}

struct step *steps_add(struct steps *s, const struct step *step)
{
	struct step *old = find(s, step->pc, step->sp);

	if (old) {
		uint32_t number = old->number;

		*old = *step;
		old->number = number;
		return old;
	}
	if (s->n == STEPS_MAX)
		steps_forget(s);
	if (ARRAY_RESERVE(&s->v, &s->cap, s->n) ||
	    idindex_add(&s->index, (uint32_t)s->n, step_hash(step->pc, step->sp), step_rehash, s))
		return NULL;
	s->v[s->n] = *step;
	return &s->v[s->n++];
}
