/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls about pools, whose blocks may be freed together. */
#include "breakpoints/watch_internal.h"

#include "breakpoints/announce.h"

taddr watch_pool_of(const struct watch *w, const struct watched_task *t, const struct call *c,
		    const struct arch_regs *r)
{
	const struct probe *p = watch_probe(w, c->probe);

	if (p->pool_arg != NO_ARG)
		return arch_arg(r, p->pool_arg);
	const struct breakpoint *bp = t->pool ? breakpoints_at(&w->breakpoints, c->entry) : NULL;
	return bp && bp->file == t->pool_file ? t->pool : 0;
}

void watch_pool_begins(struct watch *w, taddr pool)
{
	while (pools_take(&w->pools, pool))
		;
}

void watch_pool_block(struct watch *w, const struct call *c, const struct alloc_event *e)
{
	/* A block that is resized in place stays in its pool. */
	if (e->kind == AE_REALLOC_MOVED && e->ptr == e->old_ptr)
		return;
	if (e->kind == AE_REALLOC_MOVED || e->kind == AE_REALLOC_FREED)
		pools_drop(&w->pools, e->old_ptr);
	if (!e->ptr)
		return;
	if (!c->pool)
		pools_drop(&w->pools, e->ptr);
	else if (pools_put(&w->pools, c->pool, e->ptr))
		w->counts.lost++;
}

void watch_pool_entry(struct watch *w, struct task *task, struct watched_task *t,
		      const struct breakpoint *bp, const struct arch_regs *r)
{
	enum probe_kind kind = watch_probe(w, bp->probe)->kind;
	taddr pool = arch_arg(r, watch_probe(w, bp->probe)->pool_arg), block;

	if (kind == PROBE_POOL_DEFAULT) {
		t->pool = pool;
		t->pool_file = bp->file;
		return;
	}
	while ((block = pools_take(&w->pools, pool)))
		if (kind == PROBE_POOL_FREE)
			announce_free(w, task, block, arch_sp_after_return(r), false);
	/* The pool has ended. Clearing an apr_pool_t does not end it, but such a pool cannot be
	 * made a default one. */
	if (t->pool == pool)
		t->pool = 0;
}
