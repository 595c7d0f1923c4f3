/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that are about pools, whose blocks may be freed together. */
#include "breakpoints/watch_internal.h"

#include "breakpoints/announce.h"

taddr watch_pool_of(const struct watch *w, const struct watched_task *t, const struct call *c,
		    const struct arch_regs *r)
{
	const struct probe *p = watch_probe(w, c->probe);

	if (p->pool_arg != NO_ARG)
		return arch_arg(r, p->pool_arg);
	const struct trap *trap = t->pool ? traps_at(&w->traps, c->trap) : NULL;
	return trap && trap->file == t->pool_file ? t->pool : 0;
}

void watch_pool_begins(struct watch *w, taddr pool)
{
	while (pools_take(&w->pools, pool))
		;
}

void watch_pool_block(struct watch *w, const struct call *c, const struct alloc_event *e)
{
	/* Resized where it is, it stays in its pool. */
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

void watch_pool_entry(struct watch *w, struct task *task, struct watched_task *t, const struct trap *trap,
		      const struct arch_regs *r)
{
	enum probe_kind kind = watch_probe(w, trap->probe)->kind;
	taddr pool = arch_arg(r, watch_probe(w, trap->probe)->pool_arg), block;

	if (kind == PROBE_POOL_DEFAULT) {
		t->pool = pool;
		t->pool_file = trap->file;
		return;
	}
	while ((block = pools_take(&w->pools, pool)))
		if (kind == PROBE_POOL_FREE)
			announce_free(w, task, block, arch_sp_after_return(r), false);
	/* That was the end of it; clearing an apr_pool_t is not, but nobody can make that his default. */
	if (t->pool == pool)
		t->pool = 0;
}
