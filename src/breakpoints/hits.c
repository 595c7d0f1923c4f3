/* SPDX-License-Identifier: BSD-2-Clause */
/* What a breakpoint means: pairs entries with returns and makes allocation events of them. */
#include "breakpoints/watch_internal.h"

#include "base/array.h"
#include "base/clock.h"
#include "breakpoints/announce.h"
#include "probes/outcome.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct watched_task *watched_task(struct task *task)
{
	if (!task->user)
		task->user = calloc(1, sizeof(struct watched_task));
	return task->user;
}

static struct task_ref watch_ref(const struct task *task)
{
	return (struct task_ref){ task->tid, task->space };
}

void watch_emit(struct watch *w, struct alloc_event *e)
{
	e->time_ns = clock_now_ns();
	if (w->sink->event(w->image, e))
		w->counts.lost++;
}

/* ---- pending calls ---- */

/* The innermost call is over, one way or another. */
static void drop_call(struct watch *w, struct calls *calls)
{
	const struct call *c = &calls->v[calls->n - 1];
	struct breakpoint *bp = c->unwatched ? NULL : breakpoints_at(&w->breakpoints, c->ret);

	if (bp)
		breakpoint_awaited(w->space, bp);
	calls_pop(calls);
}

/* A call that will never return. A block it was to resize is still there, as far as can be seen. */
void watch_abandon(struct watch *w, struct task *task, struct calls *calls)
{
	const struct call *c = &calls->v[calls->n - 1];

	if (probe_resizes(watch_probe(w, c->probe)) && c->ptr && !c->unwanted)
		watch_emit(w, &(struct alloc_event){
				.kind = AE_REALLOC_BACK, .call = CALL_REALLOC, .task = task->tid,
					.old_ptr = c->ptr });
	drop_call(w, calls);
}

/* Is what the pending call's site has called the function of that call, and no wrapper of it? @pc:
 * where it goes on. */
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
 * Is it the frame of the innermost pending call, or of one that is known to be nested in it? A
 * nested call whose site calls now this, now that, proves nothing by being in the chain: what is
 * called there now has to be the function that was seen to begin.
 */
static bool is_sought(void *ctx, taddr pc, taddr sp, const struct unwind_frame *inner)
{
	const struct frame_sought *f = ctx;

	if (calls_is_pending(f->calls, pc, sp))
		return true;
	const struct nested_call *n = calls_find_nested(f->calls, pc, sp);
	return n && (n->certain || watch_function(f->w, inner) == n->entry);
}

static bool has_handler(const struct unwind_chain *chain)
{
	for (size_t i = 0; i < chain->n; i++)
		if (chain->frames[i].exact)
			return true;
	return false;
}

/*
 * Where the stack pointer says nothing. The call is pending if its frame is in the chain; and what
 * a signal handler calls, the handler calls, not the allocator it interrupted.
 */
static enum entry_verdict judge_by_chain(const struct watch *w, const struct calls *calls,
					 const struct call_entry *e,
					 const struct unwind_chain *chain)
{
	const struct call *pending = &calls->v[calls->n - 1];
	bool handler = has_handler(chain);

	if (!chain->reached)
		return chain->truncated && !handler ? calls_judge_cut(pending, e) : ENTRY_ABANDONED;
	const struct unwind_frame *found = &chain->frames[chain->n - 1], *inner = found - 1;
	if (calls_is_pending(calls, found->pc, inner->cfa) &&
	    !is_call_itself(w, pending, inner->pc))
		return ENTRY_ABANDONED;
	return handler ? ENTRY_OUTER : ENTRY_NESTED;
}

/* Nobody waits for the return of such a request; and what is known of the chain does not tell
 * whether it has. */
static bool is_doubtful(const struct calls *calls, const struct unwind_chain *chain)
{
	const struct call *pending = &calls->v[calls->n - 1];

	return pending->unwanted && pending->unwatched && !chain->reached && chain->truncated &&
	       !calls_is_over(calls, chain->n > 1 ? chain->frames[chain->n - 2].cfa : 0);
}

/* The same, with what was learned by it noted. 0 or -errno. */
static int judge_unwinding(struct watch *w, struct calls *calls, const struct call_entry *e,
			   const struct arch_regs *r, enum entry_verdict *verdict)
{
	const struct unwind_goal goal = { is_sought, &(struct frame_sought){ w, calls } };
	struct unwind_chain chain;
	int err = watch_unwind(w, r, e->ret, &goal, &chain);

	if (err)
		return err;
	*verdict = judge_by_chain(w, calls, e, &chain);
	w->counts.doubtful += is_doubtful(calls, &chain);
	/* A free that hands its block on in a chain that is cut says nothing of others. */
	if (*verdict == ENTRY_NESTED && (chain.reached || !calls->v[calls->n - 1].unwatched))
		calls_note_nested(calls, e, arch_sp_after_return(r),
				  watch_site_of(w, e->ret, e->entry));
	return 0;
}

/*
 * Clearing a pool runs what the program has registered for that; the library of the pool has no
 * other reason to call a function of somebody else's that allocates.
 */
static bool is_callback(const struct watch *w, const struct call *pending,
			const struct call_entry *e)
{
	enum probe_kind kind = watch_probe(w, pending->probe)->kind;

	if (pending->resolver || pending->gave_up || kind == PROBE_LABEL || kind == PROBE_CALLBACK)
		return true;
	if (kind != PROBE_POOL_FREE && kind != PROBE_INTERNAL && kind != PROBE_POOL_NEW)
		return false;
	/* It has jumped there itself, at its end. */
	if (e->ret_at == pending->ret_at)
		return false;
	const struct mapping *of = mappings_find(&w->maps, pending->entry);
	const struct mapping *by = mappings_find(&w->maps, e->ret - 1);
	return of && by && of->file != by->file;
}

/* Whether this entry is the program's own call; drops pending calls that are over. */
static bool is_outer(struct watch *w, struct task *task, struct calls *calls,
		     const struct call_entry *e, const struct arch_regs *r)
{
	for (;;) {
		const struct call *top = calls->n ? &calls->v[calls->n - 1] : NULL;
		uint64_t word = 0;

		if (top)
			unwinder_far_word(w->unwinder, top->ret_at, &word);
		enum entry_verdict v = calls_classify_entry(top, e, word);
		bool goes_on = calls_enter(calls, e);
		if (v == ENTRY_UNWIND && goes_on)
			v = ENTRY_NESTED;
		if (v == ENTRY_UNWIND && judge_unwinding(w, calls, e, r, &v)) {
			w->counts.lost++;
			return false;
		}
		if (v == ENTRY_OUTER || v == ENTRY_NESTED)
			return v == ENTRY_OUTER || is_callback(w, top, e);
		watch_abandon(w, task, calls);
	}
}

/* ---- entries ---- */

/* What a copy of the string at @at takes, at most @limit bytes of it and its end. */
static uint64_t string_size(const struct watch *w, taddr at, uint64_t limit)
{
	char piece[256];
	uint64_t n = 0;

	while (n < limit) {
		/* Not over the end of a page: the next may not be there. */
		size_t want = sizeof piece - (size_t)((at + n) % sizeof piece);
		ssize_t got = address_space_read(w->space, at + n, piece, want);
		const char *end = got > 0 ? memchr(piece, '\0', (size_t)got) : piece;

		n += end ? (uint64_t)(end - piece) : (uint64_t)got;
		if (end)
			break;
	}
	return (n < limit ? n : limit) + 1;
}

static void read_arguments(const struct watch *w, const struct probe *p, const struct arch_regs *r,
			   struct call *c)
{
	uint64_t arg[PROBE_ARGS];

	for (unsigned i = 0; i < PROBE_ARGS; i++)
		arg[i] = arch_arg(r, i);
	struct probe_args a = probe_arguments(p, arg);
	if (p->string_arg != NO_ARG)
		a.elem = a.size = string_size(w, a.string, a.limit);
	c->size = a.size;
	c->count = a.count;
	c->elem = a.elem;
	c->overflow = a.overflow;
	c->ptr = a.ptr;
	c->out = a.out;
	c->label = a.label;
}

/* Was this block never told of? Then nor is its end. */
static bool take_hidden(struct watch *w, taddr ptr)
{
	for (size_t i = 0; i < w->n_hidden; i++)
		if (w->hidden[i] == ptr) {
			w->hidden[i] = w->hidden[--w->n_hidden];
			return true;
		}
	return false;
}

/* Is this a free that was counted, and then begun again? Not if the block has been given out
 * since. */
bool watch_was_rewound(const struct watch *w, struct watched_task *t, taddr entry, taddr ptr,
		       taddr sp)
{
	for (size_t i = 0; i < t->n_rewound; i++) {
		const struct rewound_free f = t->rewound[i];

		if (f.entry != entry || f.sp != sp)
			continue;
		t->rewound[i] = t->rewound[--t->n_rewound];
		return f.ptr == ptr && !(ptr && w->sink->knows(w->image, ptr));
	}
	return false;
}

/* Does the allocator free a block that it has not given, which the program has freed long ago? */
static bool is_housekeeping(struct watch *w, const struct breakpoint *bp, taddr ptr,
			    const struct arch_regs *r)
{
	taddr ret;

	return ptr && !w->sink->knows(w->image, ptr) &&
	       address_space_read(w->space, arch_return_place(r), &ret, sizeof ret) == sizeof ret &&
	       watch_by_allocator(w, bp, ret);
}

static void count_free(struct watch *w, struct task *task, struct watched_task *t,
		       const struct breakpoint *bp, const struct arch_regs *r)
{
	taddr ptr = arch_arg(r, watch_probe(w, bp->probe)->ptr_arg);

	if (watch_was_rewound(w, t, bp->at, ptr, arch_sp(r)) || take_hidden(w, ptr))
		return;
	w->counts.null_frees += !ptr;
	pools_drop(&w->pools, ptr);
	/* Who frees matters only for a block that is not known, which is rare: the stack is not
	 * read for others. */
	watch_emit(w, &(struct alloc_event){ .kind = AE_FREE,
				       .call = CALL_FREE,
				       .task = task->tid,
				       .ptr = ptr,
				       .sp = arch_sp_after_return(r),
				       .by_allocator = is_housekeeping(w, bp, ptr, r) });
}

/* Wait for the call to return, which is when it is over and, for most, what it gave is known. */
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

/* Is what comes of this call nobody's business? Neither the block that it gives nor one that it
 * takes is recorded. What it calls inside still has to be told from the program's own calls. */
static bool is_unwanted(const struct watch *w, const struct probe *p, const struct call *c)
{
	return probe_gives_block(p) && !c->hidden && !w->sink->wants(w->image, c->size) &&
	       !(probe_resizes(p) && c->ptr && w->sink->knows(w->image, c->ptr));
}

/* May the return of a call be left alone, because the chain tells of what is called later whether
 * it has? An allocator that does not describe its frames (musl's) ends the chains of what it
 * calls. */
static bool needs_no_return(struct watch *w, const struct breakpoint *bp, const struct probe *p,
			    struct call *c)
{
	if (c->unwanted) {
		const struct call_site *from = watch_site_of(w, c->ret, bp->at);

		return from && from->described && !w->counts.doubtful;
	}
	if (p->kind != PROBE_FREE)
		return false;
	enum free_site_kind site = watch_free_site(w, c->ret, bp);
	c->by_wrapper = site == SITE_WRAPPED;
	return site != SITE_ANY;
}

/* The label of what is requested inside of a call. */
static enum alloc_label inner_label(const struct watch *w, const struct call *outer)
{
	return watch_probe(w, outer->probe)->kind == PROBE_LABEL ? outer->label : LABEL_NONE;
}

static void begin_call(struct watch *w, struct task *task, struct watched_task *t,
		       const struct breakpoint *bp, const struct call_entry *e,
		       const struct arch_regs *r)
{
	const uint32_t number = bp->probe;
	const struct probe *p = watch_probe(w, number);
	struct call *c = calls_push(&t->calls);

	if (!c) {
		w->counts.lost++;
		return;
	}
	c->entry = e->entry;
	c->ret_at = e->ret_at;
	c->ret = e->ret;
	c->sp_after = arch_sp_after_return(r);
	c->probe = number;
	c->hidden = t->hide_next && p->kind == PROBE_ALLOC;
	t->hide_next = false;
	read_arguments(w, p, r, c);
	c->pool = probe_gives_block(p) ? watch_pool_of(w, t, c, r) : 0;
	/* Of calls within each other that tell a label the innermost does. */
	if (!c->label && t->calls.n > 1)
		c->label = inner_label(w, c - 1);
	c->unwanted = is_unwanted(w, p, c);
	w->counts.unwanted += c->unwanted;
	/* A stop for its return would tell no more than the chain does if that is asked for. */
	c->unwatched = needs_no_return(w, bp, p, c);
	if (c->unwatched)
		return;
	if (!watch_await_return(w, task->tid, e->ret)) {
		w->counts.lost++;
		calls_pop(&t->calls);
		return;
	}
	if (c->unwanted)
		return;
	if (probe_gives_block(p) && watch_call_chain(w, task->tid, r, e->ret, c)) {
		w->counts.lost++;
		drop_call(w, &t->calls);
		return;
	}
	if (probe_resizes(p) && c->ptr)
		watch_emit(w, &(struct alloc_event){ .kind = AE_REALLOC_BEGIN,
					       .call = CALL_REALLOC,
					       .task = task->tid,
					       .old_ptr = c->ptr });
}

static void end_call(struct watch *w, struct task *task, const struct call *c, taddr block);

/* operator new, which is the pending call, has got nothing: what it calls from here on (the
 * program's handler, malloc again, what throws) counts by itself. */
static void give_up(struct watch *w, struct task *task, struct calls *calls)
{
	struct call *c = calls->n ? &calls->v[calls->n - 1] : NULL;
	const struct probe *p = c ? watch_probe(w, c->probe) : NULL;

	if (!c || c->gave_up || !p->operator_new || !probe_gives_block(p))
		return;
	if (!c->unwanted)
		end_call(w, task, c, 0);
	c->gave_up = true;
}

/* What is on the stack cannot be read: the task is being killed in this call, or else it is a call
 * that cannot be counted. */
static void lose_entry(struct watch *w, const struct task *task)
{
	struct arch_regs r;

	if (!arch_get_regs(task->tid, &r))
		w->counts.lost++;
}

/* A function that we answer in its place. True: it has returned. */
static bool answer(struct watch *w, struct task *task, struct watched_task *t,
		   const struct breakpoint *bp, struct arch_regs *r)
{
	const struct probe *p = watch_probe(w, bp->probe);
	uint64_t arg[2] = { arch_arg(r, 0), arch_arg(r, 1) }, ret, result = 0;

	if (address_space_read(w->space, arch_return_place(r), &ret, sizeof ret) != sizeof ret ||
	    watch_by_library(w, bp, ret) ||
	    !w->sink->ask(w->image, watch_ref(task), p->question, arg, &result))
		return false;
	t->hide_next = p->question == ASK_HEAP_SIZE;
	arch_set_result(r, result);
	arch_set_caller(r, ret, arch_sp_after_return(r));
	return true;
}

/* What a free does inside matters only if it may call another one, or is the program's own, which
 * may do anything. */
static bool free_stays_inside(const struct watch *w, const struct breakpoint *bp)
{
	return w->free_functions <= 1 && bp->file != w->program;
}

static bool is_about_a_pool(const struct probe *p)
{
	return p->kind == PROBE_POOL_FREE || p->kind == PROBE_POOL_LEAVE ||
	       p->kind == PROBE_POOL_DEFAULT;
}

/* An entry that is judged: the program's own call is begun, or told at once. */
static void serve_entry(struct watch *w, struct task *task, struct watched_task *t,
			const struct breakpoint *bp, const struct call_entry *e,
			const struct arch_regs *r)
{
	const struct probe *p = watch_probe(w, bp->probe);
	bool outer = is_outer(w, task, &t->calls, e, r);

	if (is_about_a_pool(p))
		watch_pool_entry(w, task, t, bp, r);
	if (p->kind == PROBE_GIVE_UP && !outer)
		give_up(w, task, &t->calls);
	w->counts.nested += !outer;
	/* What calls back does so from inside of the allocator. */
	if ((!outer && p->kind != PROBE_CALLBACK) || p->kind == PROBE_GIVE_UP)
		return;
	if (probe_announces(p)) {
		announce(w, task, p, r, e->ret);
		return;
	}
	if (p->kind == PROBE_FREE)
		count_free(w, task, t, bp, r);
	if (p->kind == PROBE_FREE_LIST)
		announce_free_list(w, task, arch_arg(r, p->ptr_arg), arch_arg(r, p->next_arg),
				   arch_sp_after_return(r));
	if (p->kind != PROBE_FREE || (e->freed && !free_stays_inside(w, bp)))
		begin_call(w, task, t, bp, e, r);
}

/* True: the function has returned already. */
bool watch_hit_entry(struct watch *w, struct task *task, struct watched_task *t,
		      const struct breakpoint *bp, struct arch_regs *r)
{
	const struct probe *p = watch_probe(w, bp->probe);
	struct arch_regs request;
	const struct arch_regs *as = r; /* of the call that is judged */
	struct call_entry e = { .entry = bp->at };

	if (p->question)
		return answer(w, task, t, bp, r);
	if (p->mark) {
		w->sink->mark(w->image, watch_ref(task), p->mark, arch_arg(r, p->ptr_arg));
		return false;
	}
	if (p->kind == PROBE_FREE) {
		e.freed = arch_arg(r, p->ptr_arg);
		if (!t->calls.n && (!e.freed || free_stays_inside(w, bp))) {
			count_free(w, task, t, bp, r);
			return false;
		}
	}
	if ((p->kind == PROBE_GIVE_UP && !t->calls.n) ||
	    (p->kind == PROBE_REQUEST && !request_of_interest(w, r)))
		return false;
	if (p->kind == PROBE_REQUEST) {
		request = request_as_call(r, &e.ret);
		as = &request;
	}
	e.ret_at = arch_return_place(as);
	if (watch_snapshot(w, task, t, e.ret_at) ||
	    (p->kind != PROBE_REQUEST && !unwinder_word(w->unwinder, e.ret_at, &e.ret))) {
		lose_entry(w, task);
		return false;
	}
	serve_entry(w, task, t, bp, &e, as);
	return false;
}

/* ---- returns ---- */

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

/* Tell what came of a call that gave @block; 0: none. */
static void end_call(struct watch *w, struct task *task, const struct call *c, taddr block)
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
		drop_call(w, calls);
		return;
	}
	if (watch_probe(w, c->probe)->kind == PROBE_POOL_NEW)
		watch_pool_begins(w, arch_result(r));
	bool gives = probe_gives_block(watch_probe(w, c->probe));
	taddr block = gives ? block_given(w, c, r) : 0;

	/* What operator new has got from another call in the end has been told already. */
	if (gives && !c->unwanted && !(c->gave_up && (!block || block == c->inner)))
		end_call(w, task, c, block);
	drop_call(w, calls);
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
	/* Who is not waited for is nobody that the breakpoint is there for. */
	if (t->calls.v[i].unwatched)
		breakpoint_was_spurious(w->space, bp);
	else
		bp->hits++;
	while (t->calls.n > (size_t)i + 1)
		watch_abandon(w, task, &t->calls);
	call_returned(w, task, &t->calls, r);
	return true;
}
