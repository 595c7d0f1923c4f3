/* SPDX-License-Identifier: BSD-2-Clause */
/* Is a call the program's own, or does the allocator make it itself inside of a pending call? */
#include "breakpoints/watch_internal.h"

/* Does the pending call's site, which it returns to at @pc, call the function directly and not a
 * wrapper of it? */
static bool is_call_itself(const struct watch *w, const struct call *pending, taddr pc)
{
	if (!pending->by_wrapper)
		return true;
	const struct mapping *of = mappings_find(&w->maps, pending->entry);
	const struct mapping *at = mappings_find(&w->maps, pc - 1);
	return of && at && of->file == at->file;
}

struct frame_sought {
	struct watch *w;
	const struct calls *calls;
};

/*
 * Is it the frame of the innermost pending call, or of one that is known to be nested in it? If a
 * nested call's site may call different functions, its return address in the chain proves nothing:
 * the function that is called there now has to be the one that was seen to begin.
 */
static bool is_sought(void *ctx, taddr pc, taddr sp, const struct unwind_frame *inner)
{
	const struct frame_sought *f = ctx;

	if (calls_is_pending(f->calls, pc, sp))
		return true;
	const struct nested_call *n = calls_find_nested(f->calls, pc, sp);
	return n && (n->certain || watch_function(f->w, inner) == n->entry);
}

/* Was the call made inside of one that the engine sees, with no signal handler in between? */
static bool is_engines(const struct unwind_chain *chain)
{
	if (chain->foreign == SIZE_MAX)
		return false;
	for (size_t i = 0; i < chain->foreign && i < chain->n; i++)
		if (chain->frames[i].exact)
			return false;
	return true;
}

static bool has_handler(const struct unwind_chain *chain)
{
	for (size_t i = 0; i < chain->n; i++)
		if (chain->frames[i].exact)
			return true;
	return false;
}

/*
 * The stack that a step by the frame pointer has gone over, inside of any signal handler: frames
 * may be missing there. Begin with @i = 0, and *@from the stack pointer after the entry's return.
 * False: there is no more; otherwise it is from @from up to frames[*i].cfa.
 */
static bool next_gap(const struct unwind_chain *chain, size_t *i, taddr *from)
{
	const struct unwind_frame *f = chain->frames;

	for (; *i + 1 < chain->n && !f[*i].exact; *from = f[(*i)++].cfa)
		if (f[*i + 1].guessed)
			return true;
	return false;
}

/* Is the pending call's return address where the chain may lack frames? */
static bool is_in_gap(const struct call *pending, const struct call_entry *e,
		      const struct unwind_chain *chain)
{
	taddr from = e->ret_at;

	for (size_t i = 0; next_gap(chain, &i, &from); from = chain->frames[i++].cfa)
		if (pending->ret_at > from && pending->ret_at < chain->frames[i].cfa)
			return true;
	return false;
}

/* Is the frame of a call that the engine sees where the chain may lack frames? */
static bool has_engines_in_gap(struct watch *w, const struct call_entry *e,
			       const struct unwind_chain *chain)
{
	taddr from = e->ret_at + sizeof(uint64_t);
	uint64_t word;

	if (!w->engine)
		return false;
	for (size_t i = 0; next_gap(chain, &i, &from); from = chain->frames[i++].cfa)
		for (taddr at = from; at < chain->frames[i].cfa; at += sizeof word)
			if (unwinder_word(w->unwinder, at, &word) &&
			    w->shared->engine->has_code(w->engine, word - 1))
				return true;
	return false;
}

/*
 * For cases that the stack pointer does not decide. The call is still pending if its frame is in
 * the chain; and calls of a signal handler are the program's, not those of the allocator that it
 * interrupted.
 */
static enum entry_verdict judge_by_chain(const struct watch *w, const struct calls *calls,
					 const struct call_entry *e,
					 const struct unwind_chain *chain)
{
	const struct call *pending = &calls->v[calls->n - 1];
	bool handler = has_handler(chain);

	if (!chain->reached)
		return (chain->truncated && !handler) || is_in_gap(pending, e, chain) ?
			       calls_judge_cut(pending, e) :
			       ENTRY_ABANDONED;
	const struct unwind_frame *found = &chain->frames[chain->n - 1], *inner = found - 1;
	if (!found->exact && calls_is_pending(calls, found->pc, inner->cfa) &&
	    !is_call_itself(w, pending, inner->pc))
		return ENTRY_ABANDONED;
	return handler ? ENTRY_OUTER : ENTRY_NESTED;
}

/* Is it unknown whether the pending request has returned? Its return is not trapped, and the known
 * part of the chain does not show it. */
static bool is_doubtful(const struct calls *calls, const struct call_entry *e,
			const struct unwind_chain *chain)
{
	const struct call *pending = &calls->v[calls->n - 1];

	return pending->unwanted && pending->unwatched && !chain->reached &&
	       (chain->truncated || is_in_gap(pending, e, chain)) &&
	       !calls_is_over(calls, chain->n > 1 ? chain->frames[chain->n - 2].cfa : 0);
}

/* No trapped call is pending, but maybe one that the engine sees. */
static enum entry_verdict judge_engines(enum engine_calls engine, const struct unwind_chain *chain)
{
	/* If the chain is cut it depends on whether a call has not been seen to end. */
	bool cut = chain->truncated && !has_handler(chain) && engine == ENGINE_PENDING;

	return cut ? ENTRY_IN_ENGINE : ENTRY_OUTER;
}

/* Unwind, judge by the chain, and note nested calls. 0 or -errno. */
static int judge_unwinding(struct watch *w, struct calls *calls, const struct call_entry *e,
			   const struct engine_part *engine, const struct arch_regs *r,
			   enum entry_verdict *verdict)
{
	const struct unwind_goal goal = { is_sought, &(struct frame_sought){ w, calls } };
	struct unwind_chain chain;
	int err = watch_unwind(w, r, e->ret, calls->n ? &goal : NULL, &chain);

	if (err)
		return err;
	/* The engine's call is the innermost: it has made this call. */
	const bool maybe = engine->calls != ENGINE_NONE;
	if (is_engines(&chain) || (maybe && has_engines_in_gap(w, e, &chain))) {
		*verdict = ENTRY_IN_ENGINE;
		return 0;
	}
	/* If the chain is cut, the innermost call that has not been seen to end is the engine's. */
	const bool inmost = engine->seen && engine->seen->pending && !chain.reached;
	if (!calls->n || inmost) {
		*verdict = judge_engines(engine->calls, &chain);
		if (!calls->n || *verdict == ENTRY_IN_ENGINE)
			return 0;
	}
	*verdict = judge_by_chain(w, calls, e, &chain);
	w->counts.doubtful += is_doubtful(calls, e, &chain);
	/* In a cut chain the free was judged nested by its block, which proves nothing about other
	 * calls. */
	if (*verdict == ENTRY_NESTED && (chain.reached || !calls->v[calls->n - 1].unwatched))
		calls_note_nested(calls, e, arch_sp_after_return(r),
				  watch_site_of(w, e->ret, e->entry));
	return 0;
}

/*
 * Clearing a pool runs cleanup functions that the program has registered; the pool's library has no
 * other reason to call an allocating function of another module.
 */
static bool is_callback(const struct watch *w, const struct call *pending,
			const struct call_entry *e)
{
	enum probe_kind kind = watch_probe(w, pending->probe)->kind;

	if (pending->resolver || pending->gave_up || kind == PROBE_LABEL || kind == PROBE_CALLBACK)
		return true;
	if (kind != PROBE_POOL_FREE && kind != PROBE_INTERNAL && kind != PROBE_POOL_NEW)
		return false;
	/* The pending call has jumped there itself, as its last action. */
	if (e->ret_at == pending->ret_at)
		return false;
	const struct mapping *of = mappings_find(&w->maps, pending->entry);
	const struct mapping *by = mappings_find(&w->maps, e->ret - 1);
	return of && by && of->file != by->file;
}

bool watch_is_outer(struct watch *w, struct task *task, struct calls *calls,
		    const struct call_entry *e, const struct engine_part *engine,
		    const struct arch_regs *r)
{
	const struct engine_seen *seen = engine->seen;

	for (;;) {
		const struct call *top = calls->n ? &calls->v[calls->n - 1] : NULL;
		uint64_t word = 0;

		if (top && !unwinder_far_word(w->unwinder, top->ret_at, &word) &&
		    seen && seen->kept && top->ret_at == seen->outer_at)
			word = top->ret;
		enum entry_verdict v = calls_classify_entry(top, e, word);
		bool goes_on = calls_enter(calls, e);
		if (v == ENTRY_UNWIND && goes_on)
			v = ENTRY_NESTED;
		if (v == ENTRY_OUTER && engine->calls)
			v = ENTRY_UNWIND;
		if (v == ENTRY_UNWIND && seen)
			v = calls_judge_seen(top, seen);
		if (v == ENTRY_UNWIND && judge_unwinding(w, calls, e, engine, r, &v)) {
			w->counts.lost++;
			return false;
		}
		if (v == ENTRY_IN_ENGINE)
			return false;
		if (v == ENTRY_OUTER || v == ENTRY_NESTED)
			return v == ENTRY_OUTER || !top || is_callback(w, top, e);
		watch_abandon(w, task, calls);
	}
}
