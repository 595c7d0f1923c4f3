/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/replay.h"

static int tell(struct profile *p, const struct alloc_event *e)
{
	struct block_change ignored;

	return profile_event(p, e, &ignored);
}

/* A realloc of a block is one entry in a log, but two events. */
static int replay_realloc(struct profile *p, const struct mma_entry *m, struct alloc_event e)
{
	e.kind = AE_REALLOC_BEGIN;
	int err = tell(p, &e);

	if (err)
		return err;
	e.kind = m->ptr ? AE_REALLOC_MOVED : m->size ? AE_REALLOC_BACK : AE_REALLOC_FREED;
	err = tell(p, &e);
	if (err || e.kind != AE_REALLOC_BACK)
		return err;
	e.kind = AE_FAILED;
	return tell(p, &e);
}

static int replay(struct profile *p, const struct mma_entry *m)
{
	struct alloc_event e = {
		.kind = m->ptr ? AE_ALLOC : AE_FAILED,
		.task = (int32_t)m->tid,
		.time_ns = m->time_ns,
		.ptr = m->ptr,
		.size = m->size,
	};

	switch (m->type) {
	case MMA_FREE:
		e.kind = AE_FREE;
		e.call = CALL_FREE;
		break;
	case MMA_MALLOC:
		e.call = CALL_MALLOC;
		break;
	case MMA_CALLOC:
		e.call = CALL_CALLOC;
		e.count = m->num;
		e.elem = m->size;
		e.size = m->ptr ? m->num * m->size : 0;
		break;
	case MMA_REALLOC:
		e.call = CALL_REALLOC;
		e.old_ptr = m->old_ptr;
		if (m->old_ptr)
			return replay_realloc(p, m, e);
		/* realloc(NULL, 0) that returns NULL has not failed, and has no effect. */
		if (!m->ptr && !m->size)
			return 0;
		break;
	default:
		profile_stamp(p, m->time_ns);
		return 0;
	}
	return tell(p, &e);
}

int mma_replay(const struct mma_log *l, struct profile *p)
{
	int err = 0;

	for (size_t i = 0; !err && i < l->n; i++)
		err = replay(p, &l->v[i]);
	return err;
}
