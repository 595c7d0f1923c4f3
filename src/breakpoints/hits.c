/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trap means: pairs entries with returns and makes allocation events of them. */
#include "breakpoints/watch_internal.h"

#include "base/array.h"
#include "breakpoints/announce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct watched_task *watched_task(struct task *task)
{
	if (!task->user)
		task->user = calloc(1, sizeof(struct watched_task));
	return task->user;
}

void watch_emit(struct watch *w, struct alloc_event *e)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	e->time_ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	if (w->sink.event(w->sink.ctx, e))
		w->counts.lost++;
}

/* Is it known only at the end of a call what came of it? */
static bool gives_block(const struct probe *p)
{
	return p->kind == PROBE_ALLOC || p->kind == PROBE_REALLOC || p->kind == PROBE_RESIZE;
}

static bool resizes(const struct probe *p)
{
	return p->kind == PROBE_REALLOC || p->kind == PROBE_RESIZE;
}

/* What a log calls a call of this function. */
static enum alloc_call log_call(const struct probe *p)
{
	if (p->kind == PROBE_FREE)
		return CALL_FREE;
	if (resizes(p))
		return CALL_REALLOC;
	return p->count_arg == NO_ARG ? CALL_MALLOC : CALL_CALLOC;
}

/* ---- places ---- */

static bool site_eq(const void *owner, uint32_t id, const void *key)
{
	return ((const struct watch *)owner)->sites[id].ret == *(const taddr *)key;
}

static uint64_t site_rehash(const void *owner, uint32_t id)
{
	return hash_mix(((const struct watch *)owner)->sites[id].ret);
}

/* ---- chains ---- */

static bool pc_eq(const void *owner, uint32_t id, const void *key)
{
	const struct known_pc *a = &((const struct watch *)owner)->pcs[id], *b = key;

	return a->pc == b->pc && a->exact == b->exact && a->guessed == b->guessed;
}

static uint64_t pc_hash(const struct known_pc *k)
{
	return hash_mix(k->pc * 4 + k->exact * 2 + k->guessed);
}

static uint64_t pc_rehash(const void *owner, uint32_t id)
{
	return pc_hash(&((const struct watch *)owner)->pcs[id]);
}

static const struct known_pc *learn_pc(struct watch *w, pid_t tid, struct known_pc k)
{
	const struct mapping *m = watch_mapping(w, tid, k.pc);

	k.hidden = m && watch_in_range(w, m, k.pc - !k.exact, RANGE_WRAPPER);
	k.frame = w->sink.frame(w->sink.ctx, m ? m->file : NO_FILE, m ? k.pc - m->bias : k.pc, k.exact,
				k.guessed);
	if (k.frame == UINT32_MAX || ARRAY_RESERVE(&w->pcs, &w->cap_pcs, w->n_pcs))
		return NULL;
	w->pcs[w->n_pcs] = k;
	if (idindex_add(&w->pc_index, (uint32_t)w->n_pcs, pc_hash(&k), pc_rehash, w))
		return NULL;
	return &w->pcs[w->n_pcs++];
}

static const struct known_pc *know_pc(struct watch *w, pid_t tid, const struct unwind_frame *f)
{
	struct known_pc key = { .pc = f->pc, .exact = f->exact, .guessed = f->guessed };
	uint32_t id = idindex_find(&w->pc_index, pc_hash(&key), pc_eq, w, &key);

	return id != IDINDEX_NONE ? &w->pcs[id] : learn_pc(w, tid, key);
}

#define HIDDEN (UINT32_MAX - 1) /* no frame's number: not an element of the chain */

/* The number of a frame. Hardly ever a look-up: the unwinder remembers it with the step. */
static uint32_t frame_number(struct watch *w, pid_t tid, const struct unwind_frame *f, bool innermost)
{
	uint32_t number = unwinder_noted(w->unwinder, f);

	if (number != UINT32_MAX)
		return number;
	const struct known_pc *k = know_pc(w, tid, f);
	if (!k)
		return UINT32_MAX;
	if (k->hidden)
		return innermost ? HIDDEN : k->frame;
	unwinder_note(w->unwinder, f, k->frame);
	return k->frame;
}

/* The chain as numbered frames, the first *count of w->frames. */
static int number_chain(struct watch *w, pid_t tid, const struct unwind_chain *chain, size_t *count)
{
	size_t n = 0;

	while (w->cap_frames < chain->n)
		if (ARRAY_RESERVE(&w->frames, &w->cap_frames, w->cap_frames))
			return -ENOMEM;
	for (size_t i = 0; i < chain->n; i++) {
		uint32_t number = frame_number(w, tid, &chain->frames[i], n == 0);

		if (number == UINT32_MAX)
			return -ENOMEM;
		if (number != HIDDEN)
			w->frames[n++] = number;
	}
	*count = n;
	return 0;
}

/* For the event that the call will make. */
static int keep_chain(struct watch *w, pid_t tid, const struct unwind_chain *chain, struct call *c)
{
	size_t n;
	int err = number_chain(w, tid, chain, &n);

	if (err)
		return err;
	c->frames = malloc(n * sizeof *c->frames + 1);
	if (!c->frames)
		return -ENOMEM;
	memcpy(c->frames, w->frames, n * sizeof *c->frames);
	c->n_frames = n;
	c->truncated = chain->truncated;
	return 0;
}

static int unwind(struct watch *w, const struct arch_regs *r, taddr ret, struct unwind_chain *chain)
{
	return unwinder_chain(w->unwinder, &w->maps, &w->shared->files, r, ret, chain);
}

int watch_chain(struct watch *w, struct task *task, struct alloc_chain *out)
{
	struct unwind_chain chain;
	struct arch_regs r;
	int err = arch_get_regs(task->tid, &r);

	if (err)
		return err;
	taddr pc = arch_pc(&r), sp = arch_sp(&r);

	/* As if the instruction before were a call that has just been made. */
	arch_set_caller(&r, pc, sp - sizeof sp);
	err = unwinder_snapshot(w->unwinder, w->space, sp);
	if (!err)
		err = unwind(w, &r, pc, &chain);
	if (!err)
		err = number_chain(w, task->tid, &chain, &out->n);
	out->frames = w->frames;
	out->truncated = err ? CHAIN_UNREADABLE : chain.truncated;
	return err;
}

int watch_call_chain(struct watch *w, pid_t tid, const struct arch_regs *r, taddr ret, struct call *c)
{
	struct unwind_chain chain;
	int err = unwind(w, r, ret, &chain);

	return err ? err : keep_chain(w, tid, &chain, c);
}

/* ---- pending calls ---- */

/* The innermost call is over, one way or another. */
static void drop_call(struct watch *w, struct calls *calls)
{
	const struct call *c = &calls->v[calls->n - 1];
	struct trap *trap = c->unwatched ? NULL : traps_at(&w->traps, c->ret);

	if (trap)
		trap_awaited(w->space, trap);
	calls_pop(calls);
}

/* A call that will never return. A block it was to resize is still there, as far as can be seen. */
static void abandon(struct watch *w, struct task *task, struct calls *calls)
{
	const struct call *c = &calls->v[calls->n - 1];

	if (resizes(watch_probe(w, c->probe)) && c->ptr)
		watch_emit(w, &(struct alloc_event){
				.kind = AE_REALLOC_BACK, .call = CALL_REALLOC, .task = task->tid, .old_ptr = c->ptr });
	drop_call(w, calls);
}

/*
 * Where the stack pointer says nothing. The call is pending if its frame is in the chain; and what a
 * signal handler calls, the handler calls, not the allocator it interrupted.
 */
static enum entry_verdict judge_by_chain(const struct call *pending, const struct call_entry *e,
					 const struct unwind_chain *chain)
{
	bool handler = false;

	for (size_t i = 0; i < chain->n; i++) {
		handler |= chain->frames[i].exact;
		if (chain->frames[i].pc == pending->ret && i &&
		    chain->frames[i - 1].cfa == pending->sp_after)
			return handler ? ENTRY_OUTER : ENTRY_NESTED;
	}
	return chain->truncated && !handler ? calls_judge_cut(pending, e) : ENTRY_ABANDONED;
}

/*
 * Clearing a pool runs what the program has registered for that; the library of the pool has no other
 * reason to call a function of somebody else's that allocates.
 */
static bool is_callback(const struct watch *w, const struct call *pending, taddr ret)
{
	enum probe_kind kind = watch_probe(w, pending->probe)->kind;

	if (pending->gave_up || kind == PROBE_LABEL)
		return true;
	if (kind != PROBE_POOL_FREE && kind != PROBE_INTERNAL)
		return false;
	const struct mapping *of = mappings_find(&w->maps, pending->trap);
	const struct mapping *by = mappings_find(&w->maps, ret - 1);
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
			unwinder_word(w->unwinder, top->slot, &word);
		enum entry_verdict v = calls_judge(top, e, word);
		if (v == ENTRY_UNWIND) {
			struct unwind_chain chain;

			if (unwind(w, r, e->ret, &chain)) {
				w->counts.lost++;
				return false;
			}
			v = judge_by_chain(top, e, &chain);
		}
		if (v == ENTRY_OUTER || v == ENTRY_NESTED)
			return v == ENTRY_OUTER || is_callback(w, top, e->ret);
		abandon(w, task, calls);
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
		ssize_t got = space_read(w->space, at + n, piece, want);
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
	c->count = p->count_arg == NO_ARG ? 1 : arch_arg(r, p->count_arg);
	if (p->size_arg != NO_ARG)
		c->elem = arch_arg(r, p->size_arg);
	c->overflow = __builtin_mul_overflow(c->elem, c->count, &c->size);
	if (c->overflow)
		c->size = UINT64_MAX;
	if (p->string_arg != NO_ARG)
		c->elem = c->size = string_size(w, arch_arg(r, p->string_arg),
						p->limit_arg == NO_ARG ? UINT64_MAX - 1 :
									 arch_arg(r, p->limit_arg));
	if (p->ptr_arg != NO_ARG)
		c->ptr = arch_arg(r, p->ptr_arg);
	if (p->out_arg != NO_ARG)
		c->out = arch_arg(r, p->out_arg);
	c->label = probe_label(p, p->label_arg == NO_ARG ? 0 : arch_arg(r, p->label_arg));
	if (p->pool_arg != NO_ARG)
		c->pool = arch_arg(r, p->pool_arg);
}

/* The program's own code, without our traps. */
static bool read_code(struct watch *w, taddr at, uint8_t *code, size_t len)
{
	if (space_read(w->space, at, code, len) != (ssize_t)len)
		return false;
	traps_hide(&w->traps, at, code, len);
	return true;
}

/* Did the code that defines this free call it itself? Seen in the call instruction: the C library
 * calls its own free for the program through its PLT like anyone else. */
static bool by_allocator(struct watch *w, const struct trap *trap, const struct arch_regs *r)
{
	uint8_t before[5];
	taddr ret;

	if (space_read(w->space, arch_return_slot(r), &ret, sizeof ret) != sizeof ret)
		return false;
	const struct mapping *m = mappings_find(&w->maps, ret - 1);
	if (!m || m->file != trap->file)
		return false;
	if (watch_in_range(w, m, ret - 1, RANGE_HOUSEKEEPING))
		return true;
	const struct scan *s = scan_file(&w->shared->scans, &w->shared->files, m->file);
	return s && s->dynamic && trap->file == m->file && m->file != w->program &&
	       read_code(w, ret - sizeof before, before, sizeof before) &&
	       arch_direct_call_target(before, ret) == trap->at;
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

/* Is this a free that was counted, and then begun again? Not if the block has been given out since. */
static bool was_rewound(const struct watch *w, struct watched_task *t, taddr trap, taddr ptr, taddr sp)
{
	for (size_t i = 0; i < t->n_rewound; i++) {
		const struct rewound_free f = t->rewound[i];

		if (f.trap != trap || f.sp != sp)
			continue;
		t->rewound[i] = t->rewound[--t->n_rewound];
		return f.ptr == ptr && !(ptr && w->sink.knows(w->sink.ctx, ptr));
	}
	return false;
}

static void count_free(struct watch *w, struct task *task, struct watched_task *t,
		       const struct trap *trap, const struct arch_regs *r)
{
	taddr ptr = arch_arg(r, watch_probe(w, trap->probe)->ptr_arg);

	if (was_rewound(w, t, trap->at, ptr, arch_sp(r)) || take_hidden(w, ptr))
		return;
	w->counts.null_frees += !ptr;
	/* Who frees matters only for a block that is not known, which is rare: the stack is not read
	 * for others. */
	watch_emit(w, &(struct alloc_event){ .kind = AE_FREE,
				       .call = CALL_FREE,
				       .task = task->tid,
				       .ptr = ptr,
				       .sp = arch_sp_after_return(r),
				       .by_allocator = ptr && !w->sink.knows(w->sink.ctx, ptr) &&
						       by_allocator(w, trap, r) });
}

/* Does the call that returns to @ret reach nothing but the function at @at? Directly, or by a stub of
 * the PLT, which reaches the same function all the time. */
static bool calls_only(struct watch *w, taddr ret, taddr at)
{
	uint8_t before[5], stub[ARCH_STUB_SIZE];
	uint64_t reaches;

	taddr target = read_code(w, ret - sizeof before, before, sizeof before) ?
			       arch_direct_call_target(before, ret) :
			       0;
	if (!target || target == at)
		return target;
	taddr slot = read_code(w, target, stub, sizeof stub) ? arch_stub_slot(stub, target) : 0;
	return slot && space_read(w->space, slot, &reaches, sizeof reaches) == sizeof reaches &&
	       reaches == at;
}

/* What is known of a place where free is called from; remembered with the place. */
static bool is_free_site(struct watch *w, taddr ret, taddr at)
{
	uint32_t id = idindex_find(&w->site_index, hash_mix(ret), site_eq, w, &ret);

	if (id == IDINDEX_NONE) {
		struct free_site s = { .ret = ret, .frees = calls_only(w, ret, at) ? at : 0 };

		id = (uint32_t)w->n_sites;
		if (ARRAY_RESERVE(&w->sites, &w->cap_sites, w->n_sites) ||
		    idindex_add(&w->site_index, id, hash_mix(ret), site_rehash, w))
			return false;
		w->sites[w->n_sites++] = s;
	}
	return w->sites[id].frees == at;
}

/* Wait for the call to return, which is when it is over and, for most, what it gave is known. */
static bool plant_return(struct watch *w, pid_t tid, taddr ret)
{
	struct trap *trap = traps_at(&w->traps, ret);
	int err;

	if (!trap || !(trap->roles & TRAP_RETURN)) {
		bool in_file = watch_mapping(w, tid, ret - 1);

		trap = traps_plant(&w->traps, w->space, ret, TRAP_RETURN, &err);
		if (!trap)
			return false;
		trap->volatile_code = !in_file;
	}
	if (trap->volatile_code)
		traps_refresh(&w->traps, w->space, trap);
	trap_await(&w->traps, w->space, trap);
	return true;
}

/* The label of what is requested inside of a call. */
static enum alloc_label inner_label(const struct watch *w, const struct call *outer)
{
	return watch_probe(w, outer->probe)->kind == PROBE_LABEL ? outer->label : LABEL_NONE;
}

static void begin_call(struct watch *w, struct task *task, struct watched_task *t,
		       uint32_t number, const struct call_entry *e, const struct arch_regs *r)
{
	const struct probe *p = watch_probe(w, number);
	struct call *c = calls_push(&t->calls);

	if (!c) {
		w->counts.lost++;
		return;
	}
	c->trap = e->trap;
	c->slot = e->slot;
	c->ret = e->ret;
	c->sp_after = arch_sp_after_return(r);
	c->probe = number;
	c->hidden = t->hide_next && p->kind == PROBE_ALLOC;
	t->hide_next = false;
	read_arguments(w, p, r, c);
	/* Of calls within each other that tell a label the innermost does. */
	if (!c->label && t->calls.n > 1)
		c->label = inner_label(w, c - 1);
	if (p->kind == PROBE_FREE && is_free_site(w, e->ret, e->trap)) {
		/* A stop for its return would tell no more than the chain does if that is asked for. */
		c->unwatched = true;
		return;
	}
	if (!plant_return(w, task->tid, e->ret)) {
		w->counts.lost++;
		calls_pop(&t->calls);
		return;
	}
	if (gives_block(p) && watch_call_chain(w, task->tid, r, e->ret, c)) {
		w->counts.lost++;
		drop_call(w, &t->calls);
		return;
	}
	if (resizes(p) && c->ptr)
		watch_emit(w, &(struct alloc_event){ .kind = AE_REALLOC_BEGIN,
					       .call = CALL_REALLOC,
					       .task = task->tid,
					       .old_ptr = c->ptr });
}

static void end_call(struct watch *w, struct task *task, const struct call *c, taddr block);

/* operator new, which is the pending call, has got nothing: what it calls from here on (the program's
 * handler, malloc again, what throws) counts by itself. */
static void give_up(struct watch *w, struct task *task, struct calls *calls)
{
	struct call *c = calls->n ? &calls->v[calls->n - 1] : NULL;
	const struct probe *p = c ? watch_probe(w, c->probe) : NULL;

	if (!c || c->gave_up || !p->operator_new || !gives_block(p))
		return;
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

/* libtcmalloc asks for a profile of its own when the program ends. */
static bool by_library(struct watch *w, const struct trap *trap, taddr ret)
{
	const struct mapping *m = mappings_find(&w->maps, ret - 1);

	return m && m->file == trap->file && m->file != w->program && watch_is_allocator(w, m->file);
}

/* A function that we answer in its place. True: it has returned. */
static bool answer(struct watch *w, struct task *task, struct watched_task *t, const struct trap *trap,
		   struct arch_regs *r)
{
	const struct probe *p = watch_probe(w, trap->probe);
	uint64_t arg[2] = { arch_arg(r, 0), arch_arg(r, 1) }, ret, result = 0;

	if (space_read(w->space, arch_return_slot(r), &ret, sizeof ret) != sizeof ret ||
	    by_library(w, trap, ret) ||
	    !w->sink.ask(w->sink.ctx, task, p->kind, arg, &result))
		return false;
	t->hide_next = p->kind == ASK_HEAP_SIZE;
	arch_set_result(r, result);
	arch_set_caller(r, ret, arch_sp_after_return(r));
	return true;
}

/* What a free does inside matters only if it may call another one, or is the program's own. */
static bool is_alone(const struct watch *w, const struct trap *trap)
{
	return w->free_functions <= 1 && trap->file != w->program;
}

/* An entry that is judged: the program's own call is begun, or told at once. */
static void judged_entry(struct watch *w, struct task *task, struct watched_task *t,
			 const struct trap *trap, const struct call_entry *e, const struct arch_regs *r)
{
	const struct probe *p = watch_probe(w, trap->probe);
	uint32_t number = trap->probe;
	bool outer = is_outer(w, task, &t->calls, e, r);

	if (p->kind == PROBE_POOL_FREE)
		announce_pool_free(w, task, arch_arg(r, p->pool_arg), arch_sp_after_return(r));
	if (p->kind == PROBE_GIVE_UP && !outer)
		give_up(w, task, &t->calls);
	w->counts.nested += !outer;
	if (!outer || p->kind == PROBE_GIVE_UP)
		return;
	if (p->kind >= PROBE_MALLOCLIKE) {
		announce(w, task, p, r, e->ret);
		return;
	}
	if (p->kind == PROBE_FREE)
		count_free(w, task, t, trap, r);
	if (p->kind == PROBE_FREE_LIST)
		announce_free_list(w, task, arch_arg(r, p->ptr_arg), arch_arg(r, p->next_arg),
				   arch_sp_after_return(r));
	if (p->kind != PROBE_FREE || (!is_alone(w, trap) && e->freed))
		begin_call(w, task, t, number, e, r);
}

/* True: the function has returned already. */
static bool hit_entry(struct watch *w, struct task *task, struct watched_task *t,
		      const struct trap *trap, struct arch_regs *r)
{
	const struct probe *p = watch_probe(w, trap->probe);
	struct arch_regs as = *r; /* of the call that is judged */
	struct call_entry e = { .trap = trap->at };

	if (p->kind >= ASK_HEAP_START)
		return answer(w, task, t, trap, r);
	if (p->kind >= MARK_AUTOSAVE) {
		w->sink.mark(w->sink.ctx, task, p->kind, arch_arg(r, p->ptr_arg));
		return false;
	}
	if (p->kind == PROBE_FREE) {
		e.freed = arch_arg(r, p->ptr_arg);
		if (!t->calls.n && (is_alone(w, trap) || !e.freed)) {
			count_free(w, task, t, trap, r);
			return false;
		}
	}
	if ((p->kind == PROBE_GIVE_UP && !t->calls.n) ||
	    (p->kind == PROBE_REQUEST && !request_of_interest(w, r)))
		return false;
	if (p->kind == PROBE_REQUEST)
		as = request_as_call(r, &e.ret);
	e.slot = arch_return_slot(&as);
	if (unwinder_snapshot(w->unwinder, w->space, e.slot) ||
	    (p->kind != PROBE_REQUEST && !unwinder_word(w->unwinder, e.slot, &e.ret))) {
		lose_entry(w, task);
		return false;
	}
	judged_entry(w, task, t, trap, &e, &as);
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
	if (arch_result(r) == 0 && space_read(w->space, c->out, &block, sizeof block) != sizeof block)
		block = 0;
	return block;
}

static enum alloc_event_kind outcome(const struct probe *p, const struct call *c, taddr block)
{
	bool resized = resizes(p) && c->ptr;

	if (block)
		return resized ? AE_REALLOC_MOVED : AE_ALLOC;
	if (!resized)
		return AE_FAILED;
	if (p->frees_on_failure)
		return AE_REALLOC_FREED;
	return c->size == 0 && !c->overflow && p->kind == PROBE_REALLOC ? AE_REALLOC_FREED :
									  AE_REALLOC_BACK;
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
		.kind = outcome(p, c, block),
		.call = log_call(p),
		.task = task->tid,
		.ptr = block,
		.old_ptr = c->ptr,
		.sp = c->sp_after,
		.size = c->size,
		.label = c->label,
		.count = c->count,
		.elem = c->elem,
		.chain = { c->frames, c->n_frames, c->truncated },
	};

	watch_emit(w, &e);
	if (block && c->pool && pools_put(&w->pools, c->pool, block))
		w->counts.lost++;
	bool failed = e.kind == AE_REALLOC_BACK || (e.kind == AE_REALLOC_FREED && (c->size || c->overflow));
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
	bool gives = gives_block(watch_probe(w, c->probe));
	taddr block = gives ? block_given(w, c, r) : 0;

	/* What operator new has got from another call in the end has been told already. */
	if (gives && !(c->gave_up && (!block || block == c->inner)))
		end_call(w, task, c, block);
	drop_call(w, calls);
	if (calls->n && calls->v[calls->n - 1].gave_up)
		calls->v[calls->n - 1].inner = block;
}

static void hit_return(struct watch *w, struct task *task, struct watched_task *t, taddr pc,
		       const struct arch_regs *r)
{
	ptrdiff_t i = calls_returning(&t->calls, pc, arch_sp(r));

	struct trap *trap = traps_at(&w->traps, pc);

	if (i < 0) {
		trap_strayed(w->space, trap);
		w->counts.strays++;
		return;
	}
	trap->hits++;
	while (t->calls.n > (size_t)i + 1)
		abandon(w, task, &t->calls);
	call_returned(w, task, &t->calls, r);
}

/* ---- going on ---- */

/* Make the task do what the trap took the place of. */
static enum trap_answer pass(struct watch *w, struct task *task, taddr at, struct arch_regs *r)
{
	const struct arch_regs was = *r;
	const struct trap *trap = traps_at(&w->traps, at);
	uint64_t word;
	bool push = false;

	if (!trap) { /* its module has gone while it was served: there is nothing in its place */
		arch_set_pc(r, at);
	} else if (trap->insn.how == ARCH_EMULATE) {
		arch_emulate(&trap->insn, at, r, &push, &word);
		if (push)
			space_write(w->space, arch_sp(r), &word, sizeof word);
	} else {
		arch_set_pc(r, trap->slot ? trap->slot : at);
	}
	arch_change_regs(task->tid, &was, r);
	return trap && trap->insn.how == ARCH_STEP ? TRAP_STEP : TRAP_OURS;
}

enum trap_answer watch_trap(struct watch *w, struct task *task, bool certain)
{
	struct watched_task *t = watched_task(task);
	struct arch_regs r;

	if (arch_get_regs(task->tid, &r))
		return TRAP_NOT_OURS; /* it is being killed */
	taddr at = arch_pc(&r) - arch_trap_size;
	const struct trap *trap = traps_at(&w->traps, at);
	if (!trap)
		return TRAP_NOT_OURS;
	/* Behind a longer instruction's first byte nothing but its trap leads; behind a one-byte
	 * instruction also the instruction itself, and there a signal may come from anywhere. */
	if (!certain && trap->insn.size == arch_trap_size)
		return TRAP_DOUBTFUL;
	uint8_t roles = trap->roles;
	bool own_trap = !memcmp(trap->insn.bytes, arch_trap, arch_trap_size);
	w->counts.traps++;
	if (!t) {
		w->counts.lost++;
		return pass(w, task, at, &r);
	}
	if (roles & TRAP_RETURN)
		hit_return(w, task, t, at, &r);
	if (roles & TRAP_RENDEZVOUS)
		watch_modules(w, task->tid);
	trap = traps_at(&w->traps, at);
	if (trap && roles & TRAP_ENTRY && hit_entry(w, task, t, trap, &r)) {
		arch_set_regs(task->tid, &r);
		return TRAP_OURS;
	}
	/* The program has a trap of its own in this place: it gets its signal. */
	if (own_trap)
		return TRAP_NOT_OURS;
	return pass(w, task, at, &r);
}

/* The task's counted free has not run an instruction and may be begun again. */
static void note_rewound(struct watch *w, struct task *task, const struct arch_regs *r)
{
	const struct trap *trap = traps_at(&w->traps, arch_pc(r));
	struct watched_task *t = watched_task(task);

	if (!t || !trap || !(trap->roles & TRAP_ENTRY) || watch_probe(w, trap->probe)->kind != PROBE_FREE)
		return;
	/* Only handlers can come in between, and they may free, too. */
	struct rewound_free f = { trap->at, arch_arg(r, watch_probe(w, trap->probe)->ptr_arg), arch_sp(r) };
	was_rewound(w, t, f.trap, f.ptr, f.sp);
	if (ARRAY_RESERVE(&t->rewound, &t->cap_rewound, t->n_rewound))
		w->counts.lost++;
	else
		t->rewound[t->n_rewound++] = f;
}

void watch_alone(struct watch *w, struct task *task, bool out, bool stepped)
{
	struct arch_regs r;

	if (out) {
		if (!arch_get_regs(task->tid, &r) && traps_at(&w->traps, arch_pc(&r)))
			w->stepping = arch_pc(&r);
		else
			w->stepping = 0;
		if (w->stepping)
			trap_lift(w->space, traps_at(&w->traps, w->stepping));
		w->counts.steps++;
		return;
	}
	const struct trap *trap = w->stepping ? traps_at(&w->traps, w->stepping) : NULL;
	if (trap)
		trap_restore(w->space, trap);
	if (!stepped && !arch_get_regs(task->tid, &r))
		note_rewound(w, task, &r);
}

bool watch_settle(struct watch *w, struct task *task, bool trapped)
{
	struct watched_task *t = watched_task(task);
	struct arch_regs r;
	bool before;

	for (size_t i = 0; t && i < t->calls.n; i++)
		t->calls.v[i].interrupted = true;
	if (arch_get_regs(task->tid, &r))
		return false;
	taddr pc = arch_pc(&r);
	taddr own = traps_own_pc(&w->traps, pc, &before);
	bool ours = trapped && traps_at(&w->traps, pc - arch_trap_size);
	if (ours)
		own = pc - arch_trap_size;
	if (own != pc) {
		arch_set_pc(&r, own);
		arch_set_regs(task->tid, &r);
	}
	if (before)
		note_rewound(w, task, &r);
	return ours;
}

void watch_forget_calls(struct watch *w, struct task *task)
{
	struct watched_task *t = task->user;

	while (t && t->calls.n)
		abandon(w, task, &t->calls);
}

void watch_task_gone(struct watch *w, struct task *task)
{
	struct watched_task *t = task->user;

	if (!t)
		return;
	watch_forget_calls(w, task);
	calls_release(&t->calls);
	free(t->rewound);
	free(t);
	task->user = NULL;
}
