/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that are chosen when the program is linked or started (STT_GNU_IFUNC): their symbol has
 * the address of a resolver, which returns the address of the function. That function is what gets
 * a breakpoint. */
#include "breakpoints/watch_internal.h"

/* The resolver of definition @probe in @file has returned @at as its function's address. */
static void plant_function(struct watch *w, const struct mapping *m, taddr at, uint32_t file,
			   uint32_t probe)
{
	/* Nothing to plant if the engine sees the function by another name. */
	if (watch_is_taken(w, at) || !watch_plant(w, at, BREAKPOINT_ENTRY, m->file, probe))
		scan_resolved(&w->shared->scans, file, probe);
}

/* ---- the resolver runs while we watch ---- */

void watch_enter_resolver(struct watch *w, struct task *task, struct watched_task *t,
			  const struct breakpoint *bp, const struct arch_regs *r)
{
	struct call call = { .entry = bp->at, .ret_at = arch_return_place(r), .probe = bp->resolves,
			     .sp_after = arch_sp_after_return(r), .resolver = true };

	/* A signal may have pushed the resolver back to its first instruction: it has begun
	 * again. */
	while (t->calls.n && t->calls.v[t->calls.n - 1].resolver &&
	       t->calls.v[t->calls.n - 1].ret_at <= call.ret_at)
		watch_abandon(w, task, &t->calls);
	if (address_space_read(w->space, call.ret_at, &call.ret, sizeof call.ret) !=
		    sizeof call.ret ||
	    !watch_await_return(w, task->tid, call.ret))
		return;
	struct call *c = calls_push(&t->calls);
	if (c)
		*c = call;
}

void watch_resolver_returned(struct watch *w, struct task *task, const struct call *c,
			     const struct arch_regs *r)
{
	const struct mapping *m = watch_mapping(w, task->tid, arch_result(r));
	const struct breakpoint *bp = breakpoints_at(&w->breakpoints, c->entry);

	if (!m || !bp)
		return;
	plant_function(w, m, arch_result(r), bp->file, c->probe);
	watch_count_allocators(w);
}

/* ---- the resolver has run before ---- */

static void look_at_resolver(struct watch *w, taddr resolver, const struct mapping *of,
			     taddr function)
{
	const struct breakpoint *bp = breakpoints_at(&w->breakpoints, resolver);

	if (bp && bp->roles & BREAKPOINT_RESOLVER)
		plant_function(w, of, function, bp->file, bp->resolves);
}

/* Read a GOT entry of the file mapped as @m, which has the function's address if it has been
 * resolved. */
static void look_at_got_entry(struct watch *w, const struct mapping *m,
			      const struct got_entry *entry)
{
	uint64_t now;

	if (address_space_read(w->space, m->bias + entry->address, &now, sizeof now) !=
		    sizeof now ||
	    now == entry->unbound || now == m->bias + entry->unbound)
		return;
	const struct mapping *of = mappings_find(&w->maps, now);
	if (!of)
		return;
	if (entry->resolver) {
		look_at_resolver(w, m->bias + entry->resolver, of, now);
		return;
	}
	/* The function is the one sought only if its file has an ifunc of that name. */
	const struct scan *s = scan_file(&w->shared->scans, &w->shared->files, of->file);
	for (size_t i = 0; s && i < s->n_probes; i++)
		if (s->probes[i].indirect && s->probes[i].probe == entry->probe)
			look_at_resolver(w, of->bias + s->probes[i].address, of, now);
}

static bool has_resolvers(const struct watch *w)
{
	for (size_t i = 0; i < w->breakpoints.n; i++)
		if (w->breakpoints.v[i].roles & BREAKPOINT_RESOLVER)
			return true;
	return false;
}

void watch_look_at_got_entries(struct watch *w)
{
	/* Planting does not change w->maps. */
	for (size_t i = 0; has_resolvers(w) && i < w->maps.n; i++) {
		const struct mapping *m = &w->maps.maps[i];
		const struct scan *s = scan_got_entries(&w->shared->scans, &w->shared->files,
							m->file);

		for (size_t j = 0; s && j < s->n_got_entries; j++)
			look_at_got_entry(w, m, &s->got_entries[j]);
	}
	watch_count_allocators(w);
}
