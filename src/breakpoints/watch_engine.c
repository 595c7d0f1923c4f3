/* SPDX-License-Identifier: BSD-2-Clause */
/* A watch and its engine: the functions that it is offered, and what it calls in the watch. */
#include "breakpoints/watch_internal.h"

#include "base/array.h"
#include "probes/outcome.h"
#include "probes/shown.h"

#include <errno.h>
#include <string.h>

/* ---- what the unwinder calls in the engine ---- */

static bool has_code(void *ctx, taddr pc)
{
	const struct watch *w = ctx;

	return w->engine && w->shared->engine->has_code(w->engine, pc);
}

static bool leave_code(void *ctx, struct arch_frame *f, bool exact,
		       bool (*read)(void *reader, taddr at, uint64_t *word), void *reader)
{
	const struct watch *w = ctx;

	return w->shared->engine->leave_code(w->engine, f, exact, read, reader);
}

static void meet_own_code(struct watch *w)
{
	const struct unwind_foreign own = { has_code, leave_code, w };

	unwinder_foreign(w->unwinder, &own);
}

/* ---- what the engine calls ---- */

static int host_event(void *ctx, struct alloc_event *e)
{
	struct watch *w = ctx;

	/* A trap that was hit later has been reported already: time must not go back. */
	if (e->time_ns < w->last_ns)
		e->time_ns = w->last_ns;
	w->last_ns = e->time_ns;
	if (watch_hides(w, e))
		return 0;
	int err = w->sink->event(w->image, e);

	w->counts.lost += err != 0;
	return err;
}

static bool host_expect(void *ctx, const struct alloc_expected *v, unsigned n)
{
	struct watch *w = ctx;

	return w->sink->expect(w->image, v, n);
}

static uint32_t host_place(void *ctx, pid_t tid, taddr pc, bool exact, bool guessed, bool *hidden)
{
	const struct unwind_frame f = { .pc = pc, .exact = exact, .guessed = guessed };
	const struct known_pc *k = watch_place(ctx, tid, &f);

	if (!k)
		return UINT32_MAX;
	*hidden = k->hidden;
	return k->frame;
}

static uint32_t host_node(void *ctx, uint32_t parent, uint32_t place)
{
	struct watch *w = ctx;

	return w->sink->node(w->image, parent, place);
}

static unsigned host_depth(void *ctx)
{
	const struct watch *w = ctx;

	return w->sink->depth(w->image);
}

static bool host_by_allocator(void *ctx, taddr function, taddr ret)
{
	struct watch *w = ctx;
	const struct engine_function *f = watch_taken(w, function);

	return f && watch_by_allocator(w, function, f->file, ret);
}

static int host_unwind(void *ctx, pid_t tid, const struct stack_copy *copy, struct alloc_chain *out)
{
	return watch_chain_of_copy(ctx, tid, copy, out);
}

static bool host_is_nested(void *ctx, const struct engine_call *call, enum alloc_label *label)
{
	return watch_is_nested(ctx, call, label);
}

static bool host_frees_alone(void *ctx, const struct engine_function *f)
{
	watch_count_allocators(ctx);
	return watch_frees_alone(ctx, f->file);
}

static void host_declines(void *ctx, const struct engine_function *f, const char *why)
{
	watch_decline(ctx, f->at, why);
}

static void host_checked(void *ctx, bool wrong)
{
	struct watch *w = ctx;

	/* After an exec there is nothing to unwind with, so a difference proves nothing. */
	if (wrong && !watch_has_memory(w))
		return;
	w->counts.unwind_checked++;
	w->counts.unwind_wrong += wrong;
}

/* An unwinding that looks for a pc in certain code of the engine's, which is no frame of the
 * chain. */
struct seeking {
	struct watch *watch;
	bool (*ours)(const struct engine *, taddr);
	const struct engine *engine;
};

static bool seeking_has_code(void *ctx, taddr pc)
{
	return has_code(((const struct seeking *)ctx)->watch, pc);
}

static bool seeking_leave_code(void *ctx, struct arch_frame *f, bool exact,
			       bool (*read)(void *reader, taddr at, uint64_t *word), void *reader)
{
	const struct seeking *s = ctx;

	return !s->ours(s->engine, f->pc) && leave_code(s->watch, f, exact, read, reader);
}

static bool host_has_left(void *ctx, struct task *task,
			  bool (*ours)(const struct engine *, taddr), const struct engine *e)
{
	struct watch *w = ctx;
	struct seeking s = { w, ours, e };
	const struct unwind_foreign sought = { seeking_has_code, seeking_leave_code, &s };
	struct unwind_chain chain;

	unwinder_foreign(w->unwinder, &sought);
	int err = watch_stack(w, task, &chain);
	meet_own_code(w);
	if (err || chain.truncated != CHAIN_WHOLE)
		return false;
	for (size_t i = 0; i < chain.n; i++)
		if (chain.frames[i].guessed || ours(e, chain.frames[i].pc))
			return false;
	return true;
}

static void host_note(void *ctx, const char *what)
{
	const struct watch *w = ctx;

	w->sink->note(w->image, what);
}

static const struct mappings *host_mappings(void *ctx)
{
	return &((struct watch *)ctx)->maps;
}

static void host_want_hold(void *ctx)
{
	((struct watch *)ctx)->arm_later = true;
}

static const struct module_files *host_files(void *ctx)
{
	return &((struct watch *)ctx)->shared->files;
}

static void host_lost(void *ctx, uint64_t events, uint64_t damaged)
{
	struct watch *w = ctx;

	w->counts.lost += events;
	w->counts.lost_damaged += damaged;
}

static void host_failed(void *ctx)
{
	((struct watch *)ctx)->counts.engine_failed = true;
}

/* ---- what the watch calls in the engine ---- */

/* Is the program to be observed by the session's engine? */
static bool has_engine(const struct watch *w)
{
	return w->shared->engine && !w->traps_only;
}

/* Introduce all tasks before anything is written: one of them may be where code is to be
 * replaced. */
static void begin_threads(struct watch *w, struct task *first)
{
	struct task *task;

	w->shared->engine->thread_begins(w->engine, first);
	for (size_t at = 0; (task = tracer_next_task(w->shared->tracer, &at));)
		if (task != first && task->space == w->space && !task->over)
			w->shared->engine->thread_begins(w->engine, task);
}

void watch_meet_engine(struct watch *w)
{
	w->host = (struct engine_host){
		.event = host_event,
		.expect = host_expect,
		.place = host_place,
		.node = host_node,
		.depth = host_depth,
		.by_allocator = host_by_allocator,
		.unwind = host_unwind,
		.is_nested = host_is_nested,
		.frees_alone = host_frees_alone,
		.declines = host_declines,
		.checked = host_checked,
		.has_left = host_has_left,
		.note = host_note,
		.mappings = host_mappings,
		.want_hold = host_want_hold,
		.files = host_files,
		.lost = host_lost,
		.failed = host_failed,
		.ctx = w,
	};
	meet_own_code(w);
	/* The engine's chains are compared with those of the unwinder, which need not check
	 * itself. */
	unwinder_check(w->unwinder, false);
}

void watch_begin_engine(struct watch *w, struct task *task)
{
	const struct watch_shared *s = w->shared;

	if (!has_engine(w) || w->engine || w->suspended || watch_refusal(w))
		return;
	watch_meet_engine(w);
	w->engine = s->engine->open(s->engine_shared, s->tracer, task, &w->host, &w->refused,
				    &w->refusal);
	if (w->engine)
		begin_threads(w, task);
}

const char *watch_refusal(const struct watch *w)
{
	return w->refusal.text[0] ? w->refusal.text : NULL;
}

int watch_refused(const struct watch *w)
{
	return watch_refusal(w) ? w->refused : 0;
}

static void refuse(struct watch *w, const char *name, const char *why)
{
	if (watch_refusal(w))
		return;
	w->refused = -ENOTSUP;
	probe_unseen(name, why, &w->refusal);
}

/* True: the engine sees its calls from arm() on. False: *@why is the reason. */
static bool takes(struct watch *w, const struct engine_function *f, const char **why)
{
	*why = watch_why_trapped(w, f);
	if (*why)
		return false;
	*why = "out of memory";
	if (ARRAY_RESERVE(&w->taken, &w->cap_taken, w->n_taken) ||
	    w->shared->engine->plant(w->engine, f, why) != ENGINE_TAKES)
		return false;
	w->taken[w->n_taken++] = *f;
	return true;
}

static bool is_trapped(const struct watch *w, taddr at)
{
	const struct breakpoint *bp = breakpoints_at(&w->breakpoints, at);

	return bp && bp->roles & BREAKPOINT_ENTRY;
}

bool watch_offer(struct watch *w, const struct engine_function *f)
{
	const char *why = "loaded while nothing was recorded";

	if (!has_engine(w) || watch_refusal(w))
		return false;
	if (f->probe->kind == PROBE_GIVE_UP)
		return !w->new_trapped;
	if (!probe_tells_of_blocks(f->probe) || is_trapped(w, f->at))
		return false;
	if (watch_is_taken(w, f->at))
		return true;
	if (!w->suspended && w->engine && takes(w, f, &why))
		return true;
	if (watch_note_left(w, f, why))
		w->counts.lost++;
	return false;
}

/* Before the engine sees anything: are all functions that give blocks, or all that free them, left
 * to traps? */
static bool sees_nothing(struct watch *w)
{
	const struct left_function *missing = w->decided ? NULL : watch_misses(w);

	if (missing)
		refuse(w, missing->name, missing->why);
	return missing;
}

/* arm() has failed: refuse the program or, if the engine already sees functions of it, trap the new
 * ones. */
static void cannot_arm(struct watch *w, int err, const struct error *why, const char *in_short)
{
	if (w->decided) {
		w->shared->engine->drop(w->engine, in_short);
		return;
	}
	w->refused = err;
	w->refusal = *why;
}

static void arm(struct watch *w, bool held)
{
	struct error why;
	int err = w->shared->engine->arm(w->engine, held, &why);

	w->in_the_way = err == -EAGAIN;
	w->arm_later = w->in_the_way;
	if (err && !w->in_the_way)
		cannot_arm(w, err, &why, "code that cannot be changed");
	/* arm() may have declined some. */
	if (!err && !sees_nothing(w))
		w->decided |= watch_sees_blocks(w);
	if (w->decided)
		watch_tell_left(w);
}

void watch_arm(struct watch *w)
{
	/* A refused program is left as it is. */
	if (!w->engine || watch_refusal(w) || sees_nothing(w))
		return;
	if (w->arming == ARM_LATER)
		w->arm_later = true;
	else
		arm(w, w->arming == ARM_HELD);
}

bool watch_is_to_arm(const struct watch *w)
{
	return w->engine && w->arm_later && !watch_refusal(w);
}

/* The engine maps code, which takes a task that can make system calls. */
static void arm_stopped(struct watch *w)
{
	tracer_bring_caller(w->shared->tracer, w->space);
	arm(w, true);
}

void watch_arm_held(struct watch *w)
{
	enum { TRIES = 8, MOMENT_NS = 2000000 };
	struct error why;

	arm_stopped(w);
	for (unsigned i = 0; i < TRIES && w->in_the_way; i++) {
		tracer_let_run(w->shared->tracer, MOMENT_NS);
		arm_stopped(w);
	}
	if (!w->in_the_way)
		return;
	w->arm_later = w->in_the_way = false;
	int err = error_set(&why, -EAGAIN, "a thread may return into the first instructions of "
					   "its allocator");
	cannot_arm(w, err, &why, "threads in their first instructions");
	if (w->decided)
		watch_tell_left(w);
}

int watch_use_traps(struct watch *w, const char *why)
{
	const struct watch_shared *s = w->shared;
	struct error note;

	w->traps_only = true;
	w->n_taken = w->n_left = w->told_left = 0;
	error_set(&note, 0, "is watched by traps: %s", why);
	w->refusal.text[0] = 0;
	unwinder_check(w->unwinder, s->check_unwinding);
	int err = watch_plant_again(w);
	if (err)
		return err;
	w->sink->note(w->image, note.text);
	tracer_set_wait(s->tracer, s->wait_for_traps);
	return 0;
}

int watch_fall_back(struct watch *w)
{
	const struct watch_shared *s = w->shared;

	if ((!s->engine_optional && !w->executed) || w->decided)
		return -ENOTSUP;
	if (w->engine)
		s->engine->remove(w->engine);
	watch_end_engine(w);
	const struct error why = w->refusal;
	int err = watch_use_traps(w, why.text);
	if (err)
		w->refusal = why;
	return err;
}

uint64_t watch_catch_up(struct watch *w, bool whole)
{
	return w->engine ? w->shared->engine->drain(w->engine, whole) : 0;
}

bool watch_fault(struct watch *w, struct task *task)
{
	return w->engine && tracer_stopped_by_fault(w->shared->tracer, task) &&
	       w->shared->engine->fault(w->engine, task);
}

void watch_end_engine(struct watch *w)
{
	if (w->engine) {
		w->counts.engine = w->shared->engine->counts(w->engine);
		w->shared->engine->free(w->engine);
	}
	w->engine = NULL;
	w->n_taken = 0;
}
