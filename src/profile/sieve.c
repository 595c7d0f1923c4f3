/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/sieve.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

void sieve_release(struct sieve *s)
{
	live_release(&s->dropped);
	free(s->held);
	*s = (struct sieve){ 0 };
}

static bool passes(const struct sieve *s, uint64_t size)
{
	return size >= s->min && size <= s->max;
}

static int drop(struct sieve *s, const struct alloc_event *e)
{
	struct live_slot block = { .ptr = block_key(e, e->ptr) }, was;
	int err = live_put(&s->dropped, &block, &was);

	return err < 0 ? err : 0;
}

static bool is_dropped(struct sieve *s, uint64_t block)
{
	struct live_slot was;

	return live_take(&s->dropped, block, &was);
}

static int hold(struct sieve *s, const struct alloc_event *e)
{
	if (ARRAY_RESERVE(&s->held, &s->cap_held, s->n_held))
		return -ENOMEM;
	s->held[s->n_held++] = (struct sieve_held){ block_key(e, e->old_ptr), e->task };
	return 0;
}

/* Did this task's realloc begin with a dropped block? What was held last ends first. */
static bool let_go(struct sieve *s, const struct alloc_event *e)
{
	for (size_t i = s->n_held; i-- > 0;) {
		if (s->held[i].task != e->task || s->held[i].block != block_key(e, e->old_ptr))
			continue;
		s->held[i] = s->held[--s->n_held];
		return true;
	}
	return false;
}

static int on_alloc(struct sieve *s, struct alloc_event *e)
{
	is_dropped(s, block_key(e, e->ptr)); /* handed out again: that one is gone */
	if (passes(s, e->size))
		return 1;
	int err = drop(s, e);
	/* If a recorded block had this address its end was not seen: it ends here. */
	e->kind = AE_FREE;
	e->call = CALL_FREE;
	e->by_allocator = true;
	return err ? err : 1;
}

static int on_moved(struct sieve *s, struct alloc_event *e)
{
	bool held = let_go(s, e);

	if (held) {
		e->kind = AE_ALLOC;
		e->old_ptr = 0; /* nobody has heard of that block */
		return on_alloc(s, e);
	}
	is_dropped(s, block_key(e, e->ptr));
	if (passes(s, e->size))
		return 1;
	int err = drop(s, e);
	e->kind = AE_REALLOC_FREED;
	return err ? err : 1;
}

static int on_back(struct sieve *s, const struct alloc_event *e)
{
	struct live_slot block = { .ptr = block_key(e, e->old_ptr) }, was;

	if (!let_go(s, e))
		return 1;
	int err = live_put(&s->dropped, &block, &was);
	return err < 0 ? err : 0;
}

int sieve_event(struct sieve *s, struct alloc_event *e)
{
	if (sieve_is_open(s))
		return 1;
	switch (e->kind) {
	case AE_ALLOC:
		return on_alloc(s, e);
	case AE_FREE:
		return !is_dropped(s, block_key(e, e->ptr));
	case AE_REALLOC_BEGIN:
		return is_dropped(s, block_key(e, e->old_ptr)) ? hold(s, e) : 1;
	case AE_REALLOC_MOVED:
		return on_moved(s, e);
	case AE_REALLOC_FREED:
		return !let_go(s, e);
	case AE_REALLOC_BACK:
		return on_back(s, e);
	case AE_FAILED:
		return passes(s, e->size);
	}
	return 1;
}

int sieve_fork(struct sieve *to, const struct sieve *from)
{
	*to = (struct sieve){ .min = from->min, .max = from->max };
	return live_copy(&to->dropped, &from->dropped, 0);
}
