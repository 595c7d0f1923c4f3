/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/size_filter.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

void size_filter_release(struct size_filter *s)
{
	free(s->held);
	*s = (struct size_filter){ 0 };
}

static int hold(struct size_filter *s, const struct alloc_event *e)
{
	if (ARRAY_RESERVE(&s->held, &s->cap_held, s->n_held))
		return -ENOMEM;
	s->held[s->n_held++] = (struct size_filter_held){ block_key(e, e->old_ptr), e->task };
	return 0;
}

/* Takes the block that is not recorded and that this task's realloc holds, the last one if there
 * are several. False: there is none. */
static bool let_go(struct size_filter *s, const struct alloc_event *e)
{
	for (size_t i = s->n_held; i-- > 0;) {
		if (s->held[i].task != e->task || s->held[i].block != block_key(e, e->old_ptr))
			continue;
		s->held[i] = s->held[--s->n_held];
		return true;
	}
	return false;
}

static int on_alloc(struct size_filter *s, struct alloc_event *e, bool known)
{
	if (size_filter_passes(s, e->size))
		return 1;
	s->requests++;
	/* If a recorded block is still known at this address, its free was missed: it ends here. */
	e->kind = AE_FREE;
	e->call = CALL_FREE;
	e->by_allocator = true;
	return known;
}

static int on_free(struct size_filter *s, const struct alloc_event *e, bool known)
{
	if (known || !e->ptr)
		return 1;
	s->frees += !e->by_allocator;
	return 0;
}

static int on_moved(struct size_filter *s, struct alloc_event *e, bool known)
{
	if (let_go(s, e)) {
		e->kind = AE_ALLOC;
		e->old_ptr = 0; /* the profile does not know that block */
		return on_alloc(s, e, known);
	}
	if (size_filter_passes(s, e->size))
		return 1;
	s->requests++;
	e->kind = AE_REALLOC_FREED;
	return 1;
}

int size_filter_event(struct size_filter *s, struct alloc_event *e, bool known)
{
	if (size_filter_is_open(s))
		return 1;
	switch (e->kind) {
	case AE_ALLOC:
		return on_alloc(s, e, known);
	case AE_FREE:
		return on_free(s, e, known);
	case AE_REALLOC_BEGIN:
		return known ? 1 : hold(s, e);
	case AE_REALLOC_MOVED:
		return on_moved(s, e, known);
	case AE_REALLOC_FREED:
	case AE_REALLOC_BACK:
		return !let_go(s, e);
	case AE_FAILED:
		s->requests += !size_filter_passes(s, e->size);
		return size_filter_passes(s, e->size);
	}
	return 1;
}
