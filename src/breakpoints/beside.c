/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that are trapped in a program in which the engine sees others: which they are, and
 * which call is nested in which. */
#include "breakpoints/watch_internal.h"

#include "base/array.h"
#include "breakpoints/left.h"
#include "probes/outcome.h"

#include <errno.h>

/* ---- which are trapped ---- */

const char *watch_why_trapped(struct watch *w, const struct engine_function *f)
{
	const struct scan *s = scan_file(&w->shared->scans, &w->shared->files, f->file);

	if (s && scan_depends(s, &w->shared->rules->probes))
		return SCAN_DEPENDS;
	return breakpoints_at(&w->breakpoints, f->at) ? "a breakpoint there" : NULL;
}

int watch_note_left(struct watch *w, const struct engine_function *f, const char *why)
{
	for (size_t i = 0; i < w->n_left; i++)
		if (w->left[i].file == f->file && w->left[i].number == f->number)
			return 0;
	if (ARRAY_RESERVE(&w->left, &w->cap_left, w->n_left))
		return -ENOMEM;
	w->left[w->n_left++] = (struct left_function){
		.file = f->file, .number = f->number, .name = f->probe->name, .why = why,
	};
	/* Then the function that operator new calls when it has got no memory has to be trapped,
	 * too. */
	w->new_trapped |= f->probe->operator_new && probe_gives_block(f->probe);
	return 0;
}

void watch_tell_left(struct watch *w)
{
	struct error note;

	if (w->told_left == w->n_left)
		return;
	left_sentence(&w->left[w->told_left], w->n_left - w->told_left, &note);
	w->told_left = w->n_left;
	w->sink->note(w->image, note.text);
}

/* ---- which is inside of which ---- */

void watch_tell_pending(struct watch *w, const struct task *task)
{
	const struct watched_task *t = task->user;
	const struct call *top = t && t->calls.n ? &t->calls.v[t->calls.n - 1] : NULL;

	if (w->engine)
		w->shared->engine->pending(w->engine, task, top ? top->ret_at : 0,
					   top ? top->ret : 0);
}

enum engine_calls watch_engine_calls(const struct watch *w, const struct task *task)
{
	return w->engine && w->shared->engine->inside(w->engine, task) ? ENGINE_PENDING :
									 ENGINE_NONE;
}

/* The engine's call is the program's own. If it is made inside of a trapped call that has given up,
 * or that labels blocks, note that there. */
static enum alloc_label tell_outer_call(struct watch *w, struct calls *calls, taddr gives)
{
	struct call *top = calls->n ? &calls->v[calls->n - 1] : NULL;

	if (!top)
		return LABEL_NONE;
	if (top->gave_up && gives)
		top->inner = gives;
	return watch_inner_label(w, top);
}

bool watch_is_nested(struct watch *w, const struct engine_call *call, enum alloc_label *label)
{
	struct task *task = tracer_find_task(w->shared->tracer, call->tid);
	struct watched_task *t = task && task->space == w->space ? watched_task(task) : NULL;
	struct calls none = { 0 }, *calls = t ? &t->calls : &none;
	const struct call_entry e = {
		.entry = call->function ? call->function->at : 0,
		.ret_at = call->stack->sp - sizeof call->stack->sp,
		.ret = call->stack->pc,
		.freed = call->freed,
	};
	const struct engine_part engine = { call->seen.pending ? ENGINE_PENDING : ENGINE_MAYBE,
					    &call->seen };
	struct arch_regs r;

	if (watch_snapshot_copy(w, call->tid, call->stack, &r)) {
		w->counts.lost++;
		return true;
	}
	bool outer = watch_is_outer(w, task, calls, &e, &engine, &r);
	w->counts.nested += !outer;
	*label = outer ? tell_outer_call(w, calls, call->gives) : LABEL_NONE;
	if (t)
		watch_tell_pending(w, task);
	return !outer;
}
