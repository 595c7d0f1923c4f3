/* SPDX-License-Identifier: BSD-2-Clause */
/* Pending calls: awaited, returned or abandoned, and the events that result. */
#include "breakpoints/watch_internal.h"

#include "base/array.h"
#include "base/clock.h"
#include "probes/outcome.h"

void watch_emit(struct watch *w, struct alloc_event *e)
{
	e->time_ns = w->last_ns = clock_now_ns();
	if (w->sink->event(w->image, e))
		w->counts.lost++;
}

/* Have the call's return trapped: then it is over and, for most, its result is known. */
bool watch_await_return(struct watch *w, pid_t tid, taddr ret)
{
	struct breakpoint *bp = breakpoints_at(&w->breakpoints, ret);
	int err;

	if (!bp || !(bp->roles & BREAKPOINT_RETURN)) {
		bool in_file = watch_mapping(w, tid, ret - 1);

		bp = breakpoints_plant(&w->breakpoints, w->space, ret, BREAKPOINT_RETURN, &err);
		if (!bp)
			return false;
		bp->volatile_code = !in_file;
	}
	if (bp->volatile_code)
		breakpoints_refresh(&w->breakpoints, w->space, bp);
	breakpoint_await(&w->breakpoints, w->space, bp);
	return true;
}

void watch_drop_call(struct watch *w, struct calls *calls)
{
	const struct call *c = &calls->v[calls->n - 1];
	struct breakpoint *bp = c->unwatched ? NULL : breakpoints_at(&w->breakpoints, c->ret);

	if (bp)
		breakpoint_awaited(w->space, bp);
	calls_pop(calls);
}

/* A call that will never return. As far as can be told, a block that it was to resize is still
 * there. */
void watch_abandon(struct watch *w, struct task *task, struct calls *calls)
{
	const struct call *c = &calls->v[calls->n - 1];

	if (probe_resizes(watch_probe(w, c->probe)) && c->ptr && !c->unwanted)
		watch_emit(w, &(struct alloc_event){
				.kind = AE_REALLOC_BACK, .call = CALL_REALLOC, .task = task->tid,
					.old_ptr = c->ptr });
	watch_drop_call(w, calls);
}

/* The block a call has given; 0: none. */
static taddr block_given(struct watch *w, const struct call *c, const struct arch_regs *r)
{
	uint64_t block = 0;

	if (watch_probe(w, c->probe)->kind == PROBE_RESIZE)
		return arch_result(r) >= c->size && !c->overflow ? c->ptr : 0;
	if (!c->out)
		return arch_result(r);
	if (arch_result(r) == 0 &&
	    address_space_read(w->space, c->out, &block, sizeof block) != sizeof block)
		block = 0;
	return block;
}

void watch_end_call(struct watch *w, struct task *task, const struct call *c, taddr block)
{
	const struct probe *p = watch_probe(w, c->probe);

	if (c->hidden && block && !ARRAY_RESERVE(&w->hidden, &w->cap_hidden, w->n_hidden)) {
		w->hidden[w->n_hidden++] = block;
		return;
	}
	struct alloc_event e = {
		.kind = probe_outcome(p, c->size, c->overflow, c->ptr, block),
		.call = probe_call(p),
		.task = task->tid,
		.ptr = block,
		.old_ptr = c->ptr,
		.sp = c->sp_after,
		.size = c->size,
		.label = c->label,
		.count = c->count,
		.elem = c->elem,
		.chain = { .frames = c->frames, .n = c->n_frames, .truncated = c->truncated },
	};

	watch_emit(w, &e);
	watch_pool_block(w, c, &e);
	bool failed = e.kind == AE_REALLOC_BACK ||
		      (e.kind == AE_REALLOC_FREED && (c->size || c->overflow));
	if (!failed)
		return;
	e.kind = AE_FAILED;
	watch_emit(w, &e);
}

/* The innermost call has returned. */
static void call_returned(struct watch *w, struct task *task, struct calls *calls,
			  const struct arch_regs *r)
{
	const struct call *c = &calls->v[calls->n - 1];

	if (c->resolver) {
		watch_resolver_returned(w, task, c, r);
		watch_drop_call(w, calls);
		return;
	}
	if (watch_probe(w, c->probe)->kind == PROBE_POOL_NEW)
		watch_pool_begins(w, arch_result(r));
	bool gives = probe_gives_block(watch_probe(w, c->probe));
	taddr block = gives ? block_given(w, c, r) : 0;

	/* What operator new got in the end from an inner call has been reported already. */
	if (gives && !c->unwanted && !(c->gave_up && (!block || block == c->inner)))
		watch_end_call(w, task, c, block);
	watch_drop_call(w, calls);
	if (calls->n && calls->v[calls->n - 1].gave_up)
		calls->v[calls->n - 1].inner = block;
}

bool watch_hit_return(struct watch *w, struct task *task, struct watched_task *t, taddr pc,
		       const struct arch_regs *r)
{
	ptrdiff_t i = calls_returning(&t->calls, pc, arch_sp(r));

	struct breakpoint *bp = breakpoints_at(&w->breakpoints, pc);

	if (i < 0) {
		breakpoint_was_spurious(w->space, bp);
		w->counts.spurious_hits++;
		return false;
	}
	/* If the call's return is not awaited this is not the hit that the breakpoint is there
	 * for. */
	if (t->calls.v[i].unwatched)
		breakpoint_was_spurious(w->space, bp);
	else
		bp->hits++;
	while (t->calls.n > (size_t)i + 1)
		watch_abandon(w, task, &t->calls);
	call_returned(w, task, &t->calls, r);
	return true;
}
