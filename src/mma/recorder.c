/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns events of a program into entries of a log. */
#include "mma/group_internal.h"
#include "profile/size_filter.h"

#include <stdlib.h>

struct mma_recorder {
	struct recorder base;
	struct mma_process *process;
	const struct profile *profile;
};

static struct mma_recorder *self_of(struct recorder *r)
{
	return (struct mma_recorder *)r;
}

/* Addresses are the keys by which the profile knows blocks: a block from a pool may have the same
 * address as the block that it was cut from, and a log has to tell them apart, too. */
static struct mma_entry entry_of(const struct alloc_event *e)
{
	static const uint8_t types[] = {
		[CALL_MALLOC] = MMA_MALLOC,
		[CALL_CALLOC] = MMA_CALLOC,
		[CALL_REALLOC] = MMA_REALLOC,
		[CALL_FREE] = MMA_FREE,
	};
	struct mma_entry m = {
		.time_ns = e->time_ns, .tid = (uint32_t)e->task, .type = types[e->call],
		.ptr = block_key(e, e->ptr),
	};

	if (e->call == CALL_CALLOC) {
		m.num = e->count;
		m.size = e->elem;
	} else {
		m.old_ptr = e->call == CALL_REALLOC ? block_key(e, e->old_ptr) : 0;
		m.size = e->size;
	}
	return m;
}

/* A free by the allocator itself of what the program has freed already is not logged. */
static bool is_own_business(const struct mma_process *p, const struct alloc_event *e,
			    const struct block_change *c)
{
	return e->by_allocator && c->kind == BLOCK_NO_CHANGE &&
	       !mma_blocks_has(&p->space.blocks, e->ptr);
}

static void event(struct recorder *r, const struct alloc_event *e, const struct block_change *c)
{
	struct mma_process *p = self_of(r)->process;
	struct mma_entry m = entry_of(e);

	if (p->program != r)
		return; /* the process has exec'ed; another process still runs in its old memory
			   (vfork) */
	switch (e->kind) {
	case AE_FREE:
		if (is_own_business(p, e, c))
			return;
		/* fallthrough */
	case AE_ALLOC:
	case AE_FAILED:
		m.ptr = e->kind == AE_FAILED ? 0 : m.ptr;
		mma_process_call(p, &m);
		return;
	case AE_REALLOC_BEGIN:
		mma_process_realloc(p, e->task, block_key(e, e->old_ptr));
		return;
	case AE_REALLOC_FREED:
		m.ptr = m.size = 0;
		/* fallthrough */
	case AE_REALLOC_MOVED:
		mma_process_realloc_end(p, e->task, m.old_ptr, &m, e->time_ns);
		return;
	case AE_REALLOC_BACK: /* if the call has failed, AE_FAILED follows */
		mma_process_realloc_end(p, e->task, m.old_ptr, NULL, e->time_ns);
		return;
	}
}

static void mark(struct recorder *r, enum recorder_mark mark, pid_t task, uint64_t time_ns)
{
	struct mma_process *p = self_of(r)->process;

	if (p->program != r)
		return;
	if (mark == RECORD_SUSPENDED)
		mma_group_suspended(p->group);
	mma_process_stamp(p, (uint32_t)(task ? task : p->pid), time_ns);
}

static void end(struct recorder *r)
{
	struct mma_process *p = self_of(r)->process;

	if (p->program == r)
		mma_process_end(p, self_of(r)->profile->load.end_ns);
}

static struct recorder *fork_recorder(const struct recorder *r, const struct profile *child,
				      pid_t pid)
{
	return mma_group_record(((const struct mma_recorder *)r)->process->group, pid, child);
}

static void free_recorder(struct recorder *r)
{
	free(r);
}

struct recorder *mma_group_record(struct mma_group *g, pid_t pid, const struct profile *profile)
{
	static const struct recorder_ops ops = {
		.event = event,
		.mark = mark,
		.fork = fork_recorder,
		.end = end,
		.free = free_recorder,
	};
	struct mma_recorder *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	*r = (struct mma_recorder){
		.base = { .ops = &ops },
		.process = mma_group_join(g, pid, profile->load.end_ns),
		.profile = profile,
	};
	if (!r->process) {
		free(r);
		return NULL;
	}
	r->process->program = &r->base;
	return &r->base;
}
