/* SPDX-License-Identifier: BSD-2-Clause */
/* What the entry of a function means: a call begins, a block is freed, the program asks us
 * something. */
#include "breakpoints/watch_internal.h"

#include "base/array.h"
#include "breakpoints/announce.h"
#include "probes/outcome.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static struct task_ref watch_ref(const struct task *task)
{
	return (struct task_ref){ task->tid, task->space };
}

/* ---- frees ---- */

/* Was the allocation of this block not reported? Then do not report its free. */
static bool take_hidden(struct watch *w, taddr ptr)
{
	for (size_t i = 0; i < w->n_hidden; i++)
		if (w->hidden[i] == ptr) {
			w->hidden[i] = w->hidden[--w->n_hidden];
			return true;
		}
	return false;
}

int watch_copy_hidden(struct watch *w, const struct watch *from)
{
	w->hidden = calloc(from->n_hidden + 1, sizeof *w->hidden);
	if (!w->hidden)
		return -ENOMEM;
	if (from->n_hidden)
		memcpy(w->hidden, from->hidden, from->n_hidden * sizeof *w->hidden);
	w->n_hidden = from->n_hidden;
	w->cap_hidden = from->n_hidden + 1;
	return 0;
}

/* The next block that this task requests is for our answer: do not report it. */
static void hide_next(struct watch *w, const struct task *task, struct watched_task *t)
{
	t->hide_next = true;
	if (w->engine && !ARRAY_RESERVE(&w->hiding, &w->cap_hiding, w->n_hiding))
		w->hiding[w->n_hiding++] = task->tid;
}

static bool is_hiding(struct watch *w, pid_t tid)
{
	for (size_t i = 0; i < w->n_hiding; i++)
		if (w->hiding[i] == tid) {
			w->hiding[i] = w->hiding[--w->n_hiding];
			return true;
		}
	return false;
}

bool watch_hides(struct watch *w, const struct alloc_event *e)
{
	if (e->kind == AE_FREE)
		return w->n_hidden && take_hidden(w, e->ptr);
	if (!w->n_hiding || !is_hiding(w, e->task) || e->kind != AE_ALLOC ||
	    ARRAY_RESERVE(&w->hidden, &w->cap_hidden, w->n_hidden))
		return false;
	w->hidden[w->n_hidden++] = e->ptr;
	return true;
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

/* Does the allocator itself free a block that the program has freed long ago? */
static bool is_housekeeping(struct watch *w, const struct breakpoint *bp, taddr ptr,
			    const struct arch_regs *r)
{
	taddr ret;

	return ptr && !w->sink->knows(w->image, ptr) &&
	       address_space_read(w->space, arch_return_place(r), &ret, sizeof ret) == sizeof ret &&
	       watch_by_allocator(w, bp->at, bp->file, ret);
}

static void count_free(struct watch *w, struct task *task, struct watched_task *t,
		       const struct breakpoint *bp, const struct arch_regs *r)
{
	taddr ptr = arch_arg(r, watch_probe(w, bp->probe)->ptr_arg);

	if (watch_was_rewound(w, t, bp->at, ptr, arch_sp(r)) || take_hidden(w, ptr))
		return;
	w->counts.null_frees += !ptr;
	pools_drop(&w->pools, ptr);
	/* The caller matters only for a block that is not known, which is rare: otherwise the stack
	 * is not read. */
	watch_emit(w, &(struct alloc_event){ .kind = AE_FREE,
				       .call = CALL_FREE,
				       .task = task->tid,
				       .ptr = ptr,
				       .sp = arch_sp_after_return(r),
				       .by_allocator = is_housekeeping(w, bp, ptr, r) });
}

/* Calls nested in a free matter only if it may call another free, or if it is the program's own,
 * which may do anything. */
bool watch_frees_alone(const struct watch *w, uint32_t file)
{
	return w->free_functions <= 1 && file != w->program;
}

/* ---- calls that begin ---- */

/* The size of a copy of the string at @at: at most @limit bytes of it and its end. */
static uint64_t string_size(const struct watch *w, taddr at, uint64_t limit)
{
	char piece[256];
	uint64_t n = 0;

	while (n < limit) {
		/* Do not read over the end of a page: the next may not be there. */
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

/* Can the result of this call be ignored? It can if neither the block that it gives nor one that it
 * takes is recorded. Calls nested in it still have to be told from the program's own. */
static bool is_unwanted(const struct watch *w, const struct probe *p, const struct call *c)
{
	return probe_gives_block(p) && !c->hidden && !w->sink->wants(w->image, c->size) &&
	       !(probe_resizes(p) && c->ptr && w->sink->knows(w->image, c->ptr));
}

/* Can the return of a call be left untrapped, because the chains of later calls show whether it has
 * returned? Not if the allocator has no call frame information (musl's): chains of calls nested in
 * it are cut. */
static bool needs_no_return(struct watch *w, const struct breakpoint *bp, const struct probe *p,
			    struct call *c)
{
	/* It would stay pending, and every call that the engine sees would have to be judged. */
	if (w->engine)
		return false;
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

enum alloc_label watch_inner_label(const struct watch *w, const struct call *outer)
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
	/* Of nested calls that label blocks the innermost counts. */
	if (!c->label && t->calls.n > 1)
		c->label = watch_inner_label(w, c - 1);
	c->unwanted = is_unwanted(w, p, c);
	w->counts.unwanted += c->unwanted;
	/* A stop at its return would tell no more than the chains of later calls. */
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
		watch_drop_call(w, &t->calls);
		return;
	}
	if (probe_resizes(p) && c->ptr)
		watch_emit(w, &(struct alloc_event){ .kind = AE_REALLOC_BEGIN,
					       .call = CALL_REALLOC,
					       .task = task->tid,
					       .old_ptr = c->ptr });
}

/* ---- children ---- */

/*
 * A child created with CLONE_UNTRACED is not traced, but has our breakpoints in its memory, and
 * would die of the first one. The flag does nothing but keep a child from a tracer, so it can be
 * cleared.
 */
static void show_child(const struct task *task, const struct probe *p, struct arch_regs *r)
{
	const struct arch_regs was = *r;
	uint64_t flags = arch_arg(r, p->ptr_arg);

	if (!(flags & CLONE_UNTRACED))
		return;
	arch_set_arg(r, p->ptr_arg, flags & ~(uint64_t)CLONE_UNTRACED);
	arch_change_regs(task->tid, &was, r);
}

/* ---- every entry ---- */

/* operator new, the pending call, has got no memory: what it calls from here on (the program's
 * handler, malloc again, what throws) is reported on its own. */
static void give_up(struct watch *w, struct task *task, struct calls *calls)
{
	struct call *c = calls->n ? &calls->v[calls->n - 1] : NULL;
	const struct probe *p = c ? watch_probe(w, c->probe) : NULL;

	if (!c || c->gave_up || !p->operator_new || !probe_gives_block(p))
		return;
	if (!c->unwanted)
		watch_end_call(w, task, c, 0);
	c->gave_up = true;
}

/* The stack cannot be read: either the task is being killed, or the call is lost. */
static void lose_entry(struct watch *w, const struct task *task)
{
	struct arch_regs r;

	if (arch_get_regs(task->tid, &r))
		return;
	w->counts.lost++;
	w->counts.lost_unreadable++;
}

/* A function that we answer instead of the program. True: it has returned. */
static bool answer(struct watch *w, struct task *task, struct watched_task *t,
		   const struct breakpoint *bp, struct arch_regs *r)
{
	const struct probe *p = watch_probe(w, bp->probe);
	uint64_t arg[2] = { arch_arg(r, 0), arch_arg(r, 1) }, ret, result = 0;

	if (address_space_read(w->space, arch_return_place(r), &ret, sizeof ret) != sizeof ret ||
	    watch_by_library(w, bp, ret) ||
	    !w->sink->ask(w->image, watch_ref(task), p->question, arg, &result))
		return false;
	t->hide_next = false;
	if (p->question == ASK_HEAP_SIZE)
		hide_next(w, task, t);
	arch_set_result(r, result);
	arch_set_caller(r, ret, arch_sp_after_return(r));
	return true;
}

static bool is_about_a_pool(const struct probe *p)
{
	return p->kind == PROBE_POOL_FREE || p->kind == PROBE_POOL_LEAVE ||
	       p->kind == PROBE_POOL_DEFAULT;
}

/* Judge an entry and serve it: a call of the program's own begins, or is reported at once. */
static void serve_entry(struct watch *w, struct task *task, struct watched_task *t,
			const struct breakpoint *bp, const struct call_entry *e,
			const struct engine_part *engine, const struct arch_regs *r)
{
	const struct probe *p = watch_probe(w, bp->probe);
	bool outer = watch_is_outer(w, task, &t->calls, e, engine, r);

	if (is_about_a_pool(p))
		watch_pool_entry(w, task, t, bp, r);
	if (p->kind == PROBE_GIVE_UP && !outer)
		give_up(w, task, &t->calls);
	w->counts.nested += !outer;
	/* A callback is always called by the allocator. */
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
	if (p->kind != PROBE_FREE || (e->freed && !watch_frees_alone(w, bp->file)))
		begin_call(w, task, t, bp, e, r);
}

/* True: the function has returned already. */
bool watch_hit_entry(struct watch *w, struct task *task, struct watched_task *t,
		      const struct breakpoint *bp, struct arch_regs *r)
{
	const struct probe *p = watch_probe(w, bp->probe);
	struct arch_regs request;
	const struct arch_regs *as = r; /* the registers of the call that is judged */
	struct call_entry e = { .entry = bp->at };
	const struct engine_part engine = { .calls = watch_engine_calls(w, task) };

	if (p->question)
		return answer(w, task, t, bp, r);
	if (p->mark == MARK_CLONE) {
		show_child(task, p, r);
		return false;
	}
	if (p->mark) {
		w->sink->mark(w->image, watch_ref(task), p->mark, arch_arg(r, p->ptr_arg));
		return false;
	}
	if (p->kind == PROBE_FREE) {
		e.freed = arch_arg(r, p->ptr_arg);
		if (!t->calls.n && !engine.calls && (!e.freed || watch_frees_alone(w, bp->file))) {
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
	serve_entry(w, task, t, bp, &e, &engine, as);
	return false;
}
