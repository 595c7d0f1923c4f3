/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The chain of a call. Mostly it differs from the thread's last one only in the innermost frames:
 * as soon as a frame is found among the remembered ones, those further out are only compared with
 * the stack.
 */
#include "agent/agent_internal.h"
#include "agent/step.h"

struct walk {
	struct agent_shared *shared;
	struct agent_thread *t;
	struct agent_frame *fresh; /* new frames, innermost first */
	uint32_t n, max;
	uint32_t keep;		   /* how many of t->frames are outside of them */
	uint64_t hi;		   /* end of the stack that is being walked */
	enum agent_inside inside;  /* what came first among the new frames, going outwards */
	bool agent, crossed;	   /* ... and whether the agent, or a signal, is among them */
	bool deep;		   /* fresh is the shared array for deep chains */
};

static bool in_agent(const struct agent_shared *s, uint64_t pc)
{
	return pc >= s->agent_lo && pc < s->agent_hi;
}

/* Is the remembered frame @was the same as @now? If no frame from it outwards is found by its frame
 * pointer, that is used as an ordinary register, whose value may differ: update @was. */
static bool is_still(struct agent_frame *was, const struct agent_frame *now)
{
	if (was->pc != now->pc || was->sp != now->sp || was->exact != now->exact ||
	    (was->needs_fp && was->fp != now->fp))
		return false;
	was->fp = now->fp;
	return true;
}

/* Check by a step, where one word is not enough, that @f's caller is still @outer; AGENT_NULL: that
 * it still has none. */
__attribute__((noinline)) static bool steps_to(const struct walk *w, const struct agent_frame *f,
					       struct agent_frame *outer)
{
	struct agent_frame again = *f, caller = { 0 };

	enum agent_step how = agent_step(w->shared, &again, w->hi, &caller);

	return outer ? how == STEP_CALLER && is_still(outer, &caller) : how == STEP_OUTERMOST;
}

/* Is @outer still the caller of @f, both remembered? */
static bool still_called_by(const struct walk *w, const struct agent_frame *f,
			    struct agent_frame *outer)
{
	if (f->special)
		return steps_to(w, f, outer);
	struct agent_frame caller = { .sp = outer->sp, .fp = f->fp, .exact = outer->exact };

	return arch_read(outer->sp - 8, &caller.pc) &&
	       (!f->fp_at || arch_read(f->fp_at, &caller.fp)) && is_still(outer, &caller);
}

/* Does a remembered frame that had no caller still have none? */
static bool still_outermost(const struct walk *w, const struct agent_frame *f)
{
	return f->special != SPECIAL_ZERO || steps_to(w, f, AGENT_NULL);
}

/* *@moved: the innermost remembered frame whose caller has changed. False: there is none. */
static bool find_moved(const struct walk *w, uint32_t *moved)
{
	struct agent_frame *frames = w->t->frames;
	uint32_t i = w->keep - 1;

	while (i && still_called_by(w, &frames[i], &frames[i - 1]))
		i--;
	*moved = i;
	return i || !still_outermost(w, frames);
}

static uint32_t number_of(const struct walk *w)
{
	return (uint32_t)(w->t - w->shared->threads);
}

/* Take the array for deep chains. False: it is taken already, as *@taken says. */
static bool take_deep(const struct walk *w, uint64_t *taken)
{
	uint64_t *deep = &w->shared->deep_taken;
	uint64_t was = __atomic_load_n(deep, __ATOMIC_RELAXED);

	if (!(uint32_t)was &&
	    __atomic_compare_exchange_n(deep, &was, ((was >> 32) + 1) << 32 | (number_of(w) + 1),
					false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return true;
	*taken = was;
	return false;
}

/* The walk that has the array may never end: left by a longjmp. How often to look before giving up:
 * a walk takes some milliseconds at most, and this takes about a second, for the thread may have to
 * wait for a processor. */
enum {
	DEEP_LOOKS = 1 << 25,
	GONE_LOOKS = 1024, /* the thread that has it is in no walk, or has just given it back */
};

/* The thread that has it, as in agent_thread.busy; 0: none. */
static uint64_t taken_by(const struct agent_shared *s, uint64_t taken)
{
	uint32_t by = (uint32_t)taken;

	return by && by <= AGENT_THREADS ?
		       __atomic_load_n(&s->threads[by - 1].busy, __ATOMIC_RELAXED) : 0;
}

/* Wait for the array for deep chains. The count starts again when another walk has it: many threads
 * may be before us. False: it cannot be had. */
static bool wait_for_deep(const struct walk *w)
{
	struct agent_shared *s = w->shared;
	uint64_t taken, before = 0;

	for (uint32_t looks = 0; !take_deep(w, &taken); looks++) {
		uint64_t by = taken_by(s, taken);

		if (taken != before)
			looks = 0;
		before = taken;
		/* It is taken by the activation that we have interrupted; or others have already
		 * waited long enough. */
		if (by == w->t->busy ||
		    taken == __atomic_load_n(&s->deep_left, __ATOMIC_RELAXED) || !agent_may_wait(s))
			return false;
		if (looks == (by ? DEEP_LOOKS : GONE_LOOKS)) {
			__atomic_store_n(&s->deep_left, taken, __ATOMIC_RELAXED);
			return false;
		}
	}
	return true;
}

/* Move from the thread's own array to the one for deep chains. False: it cannot be had. */
static __attribute__((noinline)) bool go_deep(struct walk *w)
{
	struct agent_shared *s = w->shared;

	if (w->deep || !wait_for_deep(w))
		return false;
	for (uint32_t i = 0; i <= w->n; i++)
		s->deep[i] = w->fresh[i];
	w->fresh = s->deep;
	w->max = AGENT_DEPTH - 1;
	w->deep = true;
	return true;
}

/* Add the frame that is behind the new ones to them. False: there is no room for its caller. */
static bool add(struct walk *w)
{
	struct agent_frame *f = &w->fresh[w->n];

	f->inside = INSIDE_NOTHING;
	f->agent = 0;
	if (!f->exact && agent_in_pad(w->shared, f->pc)) {
		f->inside = INSIDE_PAD;
		if (!w->inside)
			w->inside = INSIDE_PAD;
	} else if (in_agent(w->shared, f->pc)) {
		f->agent = 1;
		w->agent = true;
	}
	if (w->n == w->max && !go_deep(w))
		return false;
	w->n++;
	return true;
}

/* The remembered frames down to number @i are unchanged, but have a different caller now: add them
 * to the new ones. */
static bool add_known(struct walk *w, uint32_t i)
{
	while (w->keep > i) {
		w->fresh[w->n] = w->t->frames[--w->keep];
		if (!add(w))
			return false;
	}
	return true;
}

/* From the last new frame to its caller, which is put behind it. */
static enum agent_step step_out(struct walk *w)
{
	struct agent_frame *f = &w->fresh[w->n - 1], *caller = &w->fresh[w->n];
	enum agent_step how;

	*caller = (struct agent_frame){ 0 };
	how = agent_step(w->shared, f, w->hi, caller);
	if (how == STEP_SIGNAL) {
		w->crossed = true;
		f->inside = INSIDE_SIGNAL;
		if (!w->inside)
			w->inside = INSIDE_SIGNAL;
		/* The handler may have had a stack of its own. */
		if (caller->sp <= f->sp || caller->sp >= w->hi)
			w->hi = agent_stack_end(w->shared, caller->sp);
		return w->hi ? how : STEP_UNREADABLE;
	}
	/* Going outwards sp has to grow: otherwise the walk might never end. */
	if (how == STEP_CALLER && (caller->sp <= f->sp || caller->sp > w->hi))
		return STEP_UNREADABLE;
	return how;
}

/* Walk from the frame behind the new ones, of which there are none yet. Returns how it ended;
 * *@full: there was no room. */
static enum agent_step walk_fresh(struct walk *w, bool *full)
{
	struct agent_frame *frames = w->t->frames;
	enum agent_step how;

	do {
		const struct agent_frame *f = &w->fresh[w->n];

		while (w->keep && frames[w->keep - 1].sp < f->sp)
			w->keep--;
		if (w->keep && is_still(&frames[w->keep - 1], f)) {
			uint32_t moved;

			if (!find_moved(w, &moved))
				return STEP_OUTERMOST;
			*full = !add_known(w, moved);
		} else {
			*full = !add(w);
		}
		if (*full)
			return STEP_NO_ROW;
		how = step_out(w);
	} while (how == STEP_CALLER || how == STEP_SIGNAL);
	if (how == STEP_OUTERMOST)
		w->keep = 0;
	return how;
}

/* Pads and the agent are left out as callers, and so is the return trampoline of a signal handler:
 * the interrupted frame is in the chain instead. If that is in a pad, the agent or a slot, it
 * stands for the probed function. */
static bool left_out(const struct agent_frame *f)
{
	return f->inside == INSIDE_SIGNAL || (!f->exact && (f->inside == INSIDE_PAD || f->agent));
}

/* The pc in the chain for a new frame: for the agent, interrupted by a signal, that of the pad that
 * called it. */
static uint64_t place_of(const struct walk *w, uint32_t i)
{
	const struct agent_frame *f = &w->fresh[i];

	if (!f->exact)
		return f->pc & NODE_PC_MASK;
	while (in_agent(w->shared, f->pc) && i + 1 < w->n)
		f = &w->fresh[++i];
	return (f->pc & NODE_PC_MASK) | NODE_EXACT;
}

/* Keys of new frames, some at a time, innermost last. */
struct keys {
	uint64_t v[8], outer;
	uint32_t n, used;
};

/* Compute the keys of the frames from number @i inwards, except those left out, and prefetch their
 * nodes. */
static void expect(struct keys *k, const struct walk *w, uint32_t i)
{
	k->n = k->used = 0;
	while (i-- && k->n < sizeof k->v / sizeof *k->v)
		if (!left_out(&w->fresh[i]))
			k->outer = k->v[k->n++] = agent_node_key(k->outer, place_of(w, i));
	if (k->n > 1)
		agent_nodes_expect(w->shared, k->v, k->n);
}

/* Make or find the nodes of the new frames, and remember these. Returns the node of the whole
 * chain; 0: the table is full. */
static uint32_t grow(struct walk *w, enum agent_root root, uint32_t epoch)
{
	struct agent_thread *t = w->t;
	const struct agent_frame *outer = w->keep ? &t->frames[w->keep - 1] : AGENT_NULL;
	uint32_t keep = w->keep;
	uint32_t node = outer ? outer->node : agent_node_below(w->shared, 0, root, epoch);
	struct keys keys = { .outer = node };

	for (uint32_t i = w->n; i && node; i--) {
		struct agent_frame *f = &w->fresh[i - 1];

		if (!left_out(f)) {
			if (keys.used == keys.n)
				expect(&keys, w, i);
			node = agent_node_recent(w->shared, keys.v[keys.used++], node,
						 place_of(w, i - 1), epoch);
		}
		f->node = node;
		f->needs_fp = f->by_fp;
		if (outer) {
			f->inside = f->inside ? f->inside : outer->inside;
			f->agent |= outer->agent;
			f->needs_fp |= !f->fp_at && outer->needs_fp;
		}
		/* A chain with a signal in it is not remembered: its frames may be on two
		 * stacks. */
		if (keep < AGENT_FRAMES && !w->crossed && root == ROOT_WHOLE && node)
			t->frames[keep++] = *f; /* NOLINT: t is there, if no frame of it is */
		outer = f;
	}
	t->n_frames = keep; /* NOLINT: the same */
	return node;
}

static void finish(struct walk *w, enum agent_step how, bool full, bool nodes,
		   struct agent_chain *out)
{
	uint32_t epoch = __atomic_load_n(&w->shared->epoch, __ATOMIC_RELAXED);
	const struct agent_frame *outer = w->keep ? &w->t->frames[w->keep - 1] : AGENT_NULL;

	out->whole = how == STEP_OUTERMOST;
	out->inside = w->inside;
	out->agent = w->agent;
	if (out->whole && outer) {
		out->agent |= outer->agent;
		if (!out->inside)
			out->inside = outer->inside;
	}
	if (nodes && out->whole) {
		out->node = grow(w, ROOT_WHOLE, epoch);
	} else if (nodes && full && w->deep) {
		w->keep = 0;
		out->node = grow(w, ROOT_TOO_DEEP, epoch);
	} else {
		w->t->n_frames = w->keep; /* NOLINT: the same */
	}
}

/* Does the chain consist of callers alone, all of which are in t->frames? */
static bool is_plain(const struct walk *w, const struct agent_chain *chain)
{
	const struct agent_thread *t = w->t;

	return chain->whole && !chain->inside && !chain->agent && !w->crossed && !w->deep &&
	       t->n_frames && t->frames[t->n_frames - 1].pc == w->fresh[0].pc &&
	       t->frames[t->n_frames - 1].sp == w->fresh[0].sp;
}

void agent_walk(struct activation *a, bool nodes, bool judged, struct agent_chain *out)
{
	struct agent_thread *t = a->record;
	struct walk w = {
		.shared = a->shared, .t = t, .fresh = t->fresh, .max = AGENT_NEW_FRAMES - 1};
	uint32_t epoch = __atomic_load_n(&a->shared->epoch, __ATOMIC_RELAXED);
	enum agent_step how;
	bool full = false;

	out->node = 0;
	out->inside = INSIDE_NOTHING;
	out->agent = out->whole = false;
	a->seen = 0;
	if (!agent_know_stack(a)) {
		if (judged)
			a->seen = agent_seen(a, &(struct agent_found){ .n_fresh = 0 });
		if (nodes)
			out->node = agent_node_below(a->shared, 0, ROOT_UNREADABLE, epoch);
		return;
	}
	if (t->epoch != epoch) {
		t->epoch = epoch;
		t->n_frames = 0;
	}
	if (nodes && !judged && agent_chain_known(a, epoch, &out->node)) {
		out->whole = true;
		return;
	}
	w.keep = t->n_frames < AGENT_FRAMES ? t->n_frames : AGENT_FRAMES;
	w.hi = t->stack_hi;
	t->fresh[0] = (struct agent_frame){ .pc = a->pc, .sp = a->sp, .fp = a->fp };
	how = walk_fresh(&w, &full);
	if (judged)
		a->seen = agent_seen(a, &(struct agent_found){ w.fresh, t->frames, w.n, w.keep,
							       how == STEP_OUTERMOST });
	finish(&w, how, full, nodes, out);
	if (out->node && is_plain(&w, out))
		agent_chain_remember(a, t->frames, t->n_frames, epoch, out->node);
	if (w.deep)
		agent_deep_give_back(a->shared, a->number);
}
