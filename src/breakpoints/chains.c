/* SPDX-License-Identifier: BSD-2-Clause */
/* The chain of a call, as numbers that the sink has given to its frames. */
#include "breakpoints/watch_internal.h"

#include "base/array.h"
#include "proc/stat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HIDDEN (UINT32_MAX - 1) /* instead of a number: the frame is left out of the chain */

/* The number of a frame. It is hardly ever looked up: the unwinder remembers it with the step. */
static uint32_t frame_number(struct watch *w, pid_t tid, const struct unwind_frame *f,
			     bool innermost)
{
	uint32_t number = unwinder_noted(w->unwinder, f);

	if (number != UINT32_MAX)
		return number;
	const struct known_pc *k = watch_place(w, tid, f);
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

/* Keep the chain for the event that the call will make. */
static int keep_chain(struct watch *w, pid_t tid, const struct unwind_chain *chain, struct call *c)
{
	size_t n;
	const uint32_t *frames = unwinder_noted_chain(chain, &n);

	if (!frames) {
		int err = number_chain(w, tid, chain, &n);
		if (err)
			return err;
		unwinder_note_chain(chain, w->frames, n);
		frames = w->frames;
	}
	c->frames = malloc(n * sizeof *c->frames + 1);
	if (!c->frames)
		return -ENOMEM;
	memcpy(c->frames, frames, n * sizeof *c->frames);
	c->n_frames = n;
	c->truncated = chain->truncated;
	return 0;
}

void watch_thread_begins(struct watch *w, struct task *task)
{
	struct watched_task *t = watched_task(task);
	struct arch_regs r;

	if (w->engine)
		w->shared->engine->thread_begins(w->engine, task);
	if (!t || arch_get_regs(task->tid, &r))
		return;
	t->start_asked = true;
	t->start_pc = arch_pc(&r);
	t->start_sp = arch_sp(&r);
}

void watch_thread_forked(struct task *child, const struct task *parent)
{
	const struct watched_task *from = parent->user;
	struct watched_task *t = from ? watched_task(child) : NULL;

	if (!t)
		return;
	t->pool = from->pool;
	t->pool_file = from->pool_file;
	t->start_asked = from->start_asked;
	t->start_pc = from->start_pc;
	t->start_sp = from->start_sp;
}

/* Tell the unwinder where the task began to run, as far as that is known. */
static void tell_start(struct watch *w, const struct task *task, struct watched_task *t)
{
	if (t && !t->start_asked) {
		t->start_asked = true;
		t->start_sp = task->tid == task->tgid ? start_stack(task->tid) : 0;
	}
	unwinder_thread(w->unwinder, t ? t->start_pc : 0, t ? t->start_sp : 0);
}

int watch_snapshot(struct watch *w, const struct task *task, struct watched_task *t, taddr sp)
{
	tell_start(w, task, t);
	return unwinder_snapshot(w->unwinder, w->space, sp);
}

taddr watch_function(struct watch *w, const struct unwind_frame *f)
{
	return unwinder_function(w->unwinder, &w->maps, &w->shared->files, f);
}

int watch_unwind(struct watch *w, const struct arch_regs *r, taddr ret,
		 const struct unwind_goal *goal, struct unwind_chain *chain)
{
	return unwinder_chain(w->unwinder, &w->maps, &w->shared->files, r, ret, goal, chain);
}

int watch_stack(struct watch *w, struct task *task, struct unwind_chain *chain)
{
	struct arch_regs r;
	int err = arch_get_regs(task->tid, &r);

	if (err)
		return err;
	taddr pc = arch_pc(&r), sp = arch_sp(&r);

	/* Pretend that the instruction before was a call that has just been made. */
	arch_set_caller(&r, pc, sp - sizeof sp);
	err = watch_snapshot(w, task, watched_task(task), sp);
	return err ? err : watch_unwind(w, &r, pc, NULL, chain);
}

int watch_chain(struct watch *w, struct task *task, struct alloc_chain *out)
{
	struct unwind_chain chain;
	int err = watch_stack(w, task, &chain);

	if (!err)
		err = number_chain(w, task->tid, &chain, &out->n);
	out->frames = w->frames;
	out->truncated = err ? CHAIN_UNREADABLE : chain.truncated;
	return err;
}

int watch_snapshot_copy(struct watch *w, pid_t tid, const struct stack_copy *copy,
			struct arch_regs *r)
{
	struct task *task = tracer_find_task(w->shared->tracer, tid);

	tell_start(w, task, task ? watched_task(task) : NULL);
	/* As at the function's first instruction, whose return address is below the copy. */
	*r = (struct arch_regs){ 0 };
	arch_set_caller(r, copy->pc, copy->sp - sizeof copy->sp);
	for (unsigned i = 0; i < ARCH_KEPT_REGS; i++)
		arch_set_kept(r, i, copy->kept[i]);
	return unwinder_snapshot_copy(w->unwinder, w->space, copy->sp, copy->bytes, copy->len);
}

int watch_chain_of_copy(struct watch *w, pid_t tid, const struct stack_copy *copy,
			struct alloc_chain *out)
{
	struct unwind_chain chain;
	struct arch_regs r;
	int err = watch_snapshot_copy(w, tid, copy, &r);

	if (!err)
		err = watch_unwind(w, &r, copy->pc, NULL, &chain);
	if (!err)
		err = number_chain(w, tid, &chain, &out->n);
	out->frames = w->frames;
	out->truncated = err ? CHAIN_UNREADABLE : chain.truncated;
	out->node = 0;
	return err;
}

int watch_call_chain(struct watch *w, pid_t tid, const struct arch_regs *r, taddr ret,
		     struct call *c)
{
	struct unwind_chain chain;
	int err = watch_unwind(w, r, ret, NULL, &chain);

	return err ? err : keep_chain(w, tid, &chain, c);
}
