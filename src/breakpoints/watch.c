/* SPDX-License-Identifier: BSD-2-Clause */
/* Where breakpoints are: follows what is mapped in a space. */
#include "breakpoints/watch_internal.h"

#include "probes/choose.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void watch_shared_rules(struct watch_shared *s, struct rules *rules)
{
	s->rules = rules;
	s->scans.probes = &rules->probes;
}

void watch_shared_release(struct watch_shared *s)
{
	scans_release(&s->scans);
	module_files_release(&s->files);
}

static const struct scan *scan_of(struct watch *w, const struct mapping *m)
{
	return scan_file(&w->shared->scans, &w->shared->files, m->file);
}

/* Does this mapping contain the address @a of its file? */
static bool maps_address(const struct mapping *m, uint64_t a)
{
	return m->bias + a >= m->start && m->bias + a < m->end;
}

struct planting {
	struct watch *w;
	const struct mapping *m;
};

int watch_plant(struct watch *w, taddr at, enum breakpoint_role role, uint32_t file, uint32_t probe)
{
	int err;
	struct breakpoint *bp = breakpoints_at(&w->breakpoints, at);
	bool was = bp && bp->roles & role;

	bp = breakpoints_plant(&w->breakpoints, w->space, at, role, &err);
	if (!bp)
		return err;
	/* If two definitions are about one function the first one counts. */
	uint32_t *number = role == BREAKPOINT_RESOLVER ? &bp->resolves : &bp->probe;
	if (!was || probe < *number)
		*number = probe;
	bp->file = file;
	return 0;
}

static void plant_probe(void *ctx, const struct scan_probe *p)
{
	const struct planting *in = ctx;
	const struct engine_function f = {
		.number = p->probe,
		.probe = watch_probe(in->w, p->probe),
		.at = in->m->bias + p->address,
		.size = p->size,
		.file = in->m->file,
		.no_forwarder = p->no_forwarder,
	};

	if (!maps_address(in->m, p->address) || (!p->indirect && watch_offer(in->w, &f)))
		return;
	if (p->indirect)
		scan_sought(&in->w->shared->scans, in->m->file, p->probe);
	watch_not_in_full(in->w, watch_plant(in->w, in->m->bias + p->address,
					     p->indirect ? BREAKPOINT_RESOLVER : BREAKPOINT_ENTRY,
					     in->m->file, p->probe));
}

static int plant_in(struct watch *w, const struct mapping *m)
{
	const struct scan *s = scan_of(w, m);
	int err = 0;

	if (!s)
		return -ENOMEM;
	watch_say_cut(w, m->file);
	watch_say_gone(w, m->file);
	if (s->slack_start && maps_address(m, s->slack_start) && m->bias + s->slack_end <= m->end)
		err = breakpoints_offer_slack(&w->breakpoints, m->bias + s->slack_start,
					      m->bias + s->slack_end);
	if (!err)
		err = choose_probes(&w->shared->files, &w->shared->scans, w->shared->rules, m->file,
				    m->file == w->program, plant_probe,
				    &(struct planting){ w, m });
	if (s->rendezvous && maps_address(m, s->rendezvous))
		breakpoints_plant(&w->breakpoints, w->space, m->bias + s->rendezvous,
				  BREAKPOINT_RENDEZVOUS, &err);
	return err == -ENOMEM ? err : 0;
}

static bool same_mapping(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->file == b->file && a->bias == b->bias;
}

static bool has_mapping(const struct mappings *maps, const struct mapping *m)
{
	const struct mapping *there = mappings_find(maps, m->start);

	return there && same_mapping(there, m);
}

/* As breakpoints_forget(), for functions that the engine has taken, too. */
static void forget_range(struct watch *w, const struct address_space *copy, taddr start, taddr end)
{
	breakpoints_forget(&w->breakpoints, copy, start, end);
	watch_forget_taken(w, start, end, copy && w->engine);
}

/* Forget what was in @m and is not mapped any more. mprotect(2) of a part of the code may split a
 * mapping, or merge several: breakpoints in them stay. Where the file is not mapped any more there
 * may be the program's own copy of it. */
static void forget_gone(struct watch *w, const struct mappings *now, const struct mapping *m)
{
	taddr at = m->start;

	for (size_t i = 0; i < now->n && at < m->end; i++) {
		const struct mapping *n = &now->maps[i];

		if (n->end <= at || n->start >= m->end)
			continue;
		if (n->start > at)
			forget_range(w, w->space, at, n->start);
		at = n->end < m->end ? n->end : m->end;
		if (n->file != m->file || n->bias != m->bias)
			forget_range(w, NULL, n->start > m->start ? n->start : m->start, at);
	}
	if (at < m->end)
		forget_range(w, w->space, at, m->end);
}

bool watch_is_allocator(struct watch *w, uint32_t file)
{
	const struct scan *s = scan_file(&w->shared->scans, &w->shared->files, file);

	for (size_t i = 0; s && i < s->n_probes; i++)
		if (watch_probe(w, s->probes[i].probe)->kind == PROBE_FREE)
			return true;
	return false;
}

void watch_count_allocators(struct watch *w)
{
	w->free_functions = w->counts.taken = 0;
	for (size_t i = 0; i < w->breakpoints.n; i++) {
		const struct breakpoint *t = &w->breakpoints.v[i];

		if (!(t->roles & BREAKPOINT_ENTRY))
			continue;
		w->counts.taken += !memcmp(t->insn.bytes, arch_trap, arch_trap_size);
		const struct probe *p = watch_probe(w, t->probe);

		w->counts.trapped |= p->kind != PROBE_NONE && p->kind != PROBE_GIVE_UP;
		w->free_functions += p->kind == PROBE_FREE;
	}
	for (size_t i = 0; i < w->n_taken; i++) {
		w->counts.trapped = true;
		w->free_functions += w->taken[i].probe->kind == PROBE_FREE;
	}
}

static void forget_pcs(struct watch *w)
{
	idindex_clear(&w->pc_index);
	w->n_pcs = 0;
	idindex_clear(&w->site_index);
	w->n_sites = 0;
	unwinder_flush(w->unwinder);
}

int watch_modules(struct watch *w, pid_t tid)
{
	struct mappings now;
	bool changed = false;
	int err = mappings_read_again(tid, &w->shared->files, &w->maps, &now);

	if (err) {
		if (w->maps.n) /* else it is not observed at all */
			watch_not_in_full(w, err);
		return err;
	}
	if (w->program == NO_FILE)
		w->program = mappings_program(&now, &w->shared->files, tid);
	struct mappings was = w->maps;
	w->maps = now;
	for (size_t i = 0; i < was.n; i++) {
		if (has_mapping(&now, &was.maps[i]))
			continue;
		forget_gone(w, &now, &was.maps[i]);
		changed = true;
	}
	for (size_t i = 0; !changed && i < now.n; i++)
		changed = !has_mapping(&was, &now.maps[i]);
	if (w->engine && changed)
		w->shared->engine->modules(w->engine, &w->maps);
	const bool new_trapped = w->new_trapped;

	for (size_t i = 0; changed && !err && i < now.n; i++)
		if (!has_mapping(&was, &now.maps[i]))
			err = w->shared->no_traps ? 0 : plant_in(w, &now.maps[i]);
	/* The function that operator new calls when it fails may be in a mapping that was planted
	 * before. */
	for (size_t i = 0; w->new_trapped != new_trapped && !err && i < now.n; i++)
		err = plant_in(w, &now.maps[i]);
	mappings_release(&was);
	if (changed) {
		watch_arm(w);
		watch_look_at_got_entries(w);
		forget_pcs(w);
		watch_count_allocators(w);
		w->sink->modules(w->image, &w->maps);
	}
	watch_not_in_full(w, err);
	return err;
}

int watch_plant_again(struct watch *w)
{
	int err = 0;

	for (size_t i = 0; !err && i < w->maps.n; i++)
		err = plant_in(w, &w->maps.maps[i]);
	watch_look_at_got_entries(w);
	watch_count_allocators(w);
	return err;
}

void watch_remapped(struct watch *w, pid_t tid)
{
	watch_modules(w, tid);
}

const struct mapping *watch_mapping(struct watch *w, pid_t tid, taddr pc)
{
	const struct mapping *m = mappings_find(&w->maps, pc);

	if (!m && !watch_modules(w, tid))
		m = mappings_find(&w->maps, pc);
	return m;
}

bool watch_in_range(struct watch *w, const struct mapping *m, taddr pc, enum scan_range_kind kind)
{
	const struct scan *s = scan_of(w, m);

	for (size_t i = 0; s && i < s->n_ranges; i++)
		if (s->ranges[i].kind == kind && pc - m->bias >= s->ranges[i].start &&
		    pc - m->bias < s->ranges[i].end)
			return true;
	return false;
}

/* ---- life ---- */

static void own_bytes(void *ctx, taddr at, uint8_t *code, size_t len)
{
	const struct watch *w = ctx;

	breakpoints_hide(&w->breakpoints, at, code, len);
}

static struct watch *watch_create(struct watch_shared *shared, struct address_space *space,
				  const struct observer_sink *sink, void *image)
{
	struct watch *w = calloc(1, sizeof *w);

	if (!w)
		return NULL;
	w->shared = shared;
	w->sink = sink;
	w->image = image;
	w->space = space;
	w->program = NO_FILE;
	w->breakpoints.journal = shared->journal;
	w->breakpoints.pid = space->pid;
	w->unwinder = unwinder_new();
	if (!w->unwinder) {
		watch_free(w);
		return NULL;
	}
	unwinder_check(w->unwinder, shared->check_unwinding);
	unwinder_own_bytes(w->unwinder, own_bytes, w);
	return w;
}

const struct mappings *watch_mappings(const struct watch *w)
{
	return &w->maps;
}

uint32_t watch_program(const struct watch *w)
{
	return w->program;
}

bool watch_has_memory(const struct watch *w)
{
	uint8_t byte;

	return w->maps.n && address_space_read(w->space, w->maps.maps[0].start, &byte, 1) == 1;
}

struct watch *watch_new(struct watch_shared *shared, struct task *task,
			const struct observer_sink *sink, void *image, int *err)
{
	struct watch *w = watch_create(shared, task->space, sink, image);

	*err = -ENOMEM;
	if (!w)
		return NULL;
	watch_begin_engine(w, task);
	w->arming = ARM_HELD;
	*err = watch_modules(w, task->tid);
	w->arming = ARM_LATER;
	if (!*err)
		return w;
	watch_clean(w); /* of what is in the program by now */
	watch_free(w);
	return NULL;
}

void watch_is_executed(struct watch *w)
{
	w->executed = true;
}

void watch_prepare(struct watch_shared *shared, pid_t tid)
{
	struct mappings maps;

	if (mappings_read(tid, &shared->files, &maps))
		return;
	for (size_t i = 0; i < maps.n; i++)
		scan_file(&shared->scans, &shared->files, maps.maps[i].file);
	if (shared->engine)
		shared->engine->prepare(shared->engine_shared, &shared->files, &maps);
	mappings_release(&maps);
}

/* Since the fork another thread of the parent may have had more planted: bring the copy in line
 * with the parent's table. */
static void sync_copy(struct watch *w, const struct address_space *parent)
{
	for (size_t i = 0; i < w->breakpoints.n_slacks; i++) {
		const struct slack *k = &w->breakpoints.slacks[i];
		uint8_t code[4096];
		size_t len = (size_t)(k->next - k->start);

		if (k->saved && len && len <= sizeof code &&
		    address_space_read(parent, k->start, code, len) == (ssize_t)len)
			address_space_write(w->space, k->start, code, len);
	}
	for (size_t i = 0; i < w->breakpoints.n; i++)
		breakpoint_make_sure(w->space, &w->breakpoints.v[i]);
}

struct watch *watch_fork(const struct watch *parent, const struct address_space *parent_space,
			 struct address_space *space, const struct observer_sink *sink, void *image,
			 int *err)
{
	struct watch *w = watch_create(parent->shared, space, sink, image);

	*err = w ? breakpoints_copy(&w->breakpoints, &parent->breakpoints) : -ENOMEM;
	if (!*err)
		*err = mappings_copy(&w->maps, &parent->maps);
	if (!*err)
		*err = pools_copy(&w->pools, &parent->pools);
	if (!*err)
		*err = watch_copy_hidden(w, parent);
	if (*err) {
		watch_free(w);
		return NULL;
	}
	watch_count_allocators(w);
	w->program = parent->program;
	w->suspended = parent->suspended;
	if (!w->suspended)
		sync_copy(w, parent_space);
	return w;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	mappings_release(&w->maps);
	breakpoints_release(&w->breakpoints);
	unwinder_free(w->unwinder);
	free(w->pcs);
	idindex_release(&w->pc_index);
	free(w->sites);
	idindex_release(&w->site_index);
	free(w->frames);
	pools_release(&w->pools);
	free(w->hidden);
	free(w->hiding);
	watch_end_engine(w);
	free(w->taken);
	free(w->left);
	free(w);
}

struct observed_counts watch_counts(const struct watch *w)
{
	struct observed_counts c = w->counts;

	struct unwind_counts u = unwinder_counts(w->unwinder);

	c.planted = w->breakpoints.planted;
	c.trapped |= w->shared->no_traps;
	c.unwind_known = u.steps_known;
	c.unwind_made = u.steps_made;
	c.unwind_checked += u.checked;
	c.unwind_wrong += u.wrong;
	if (w->engine)
		c.engine = w->shared->engine->counts(w->engine);
	return c;
}

/* Is it a function of mprof.h, or one that we answer? With these the program may ask to be watched
 * again. */
static bool is_mark(const struct watch *w, const struct breakpoint *bp)
{
	const struct probe *p = watch_probe(w, bp->probe);

	return bp->roles & BREAKPOINT_ENTRY && p->kind == PROBE_NONE && p->mark != MARK_CLONE;
}

void watch_suspend(struct watch *w)
{
	if (w->engine)
		w->shared->engine->suspend(w->engine, true);
	breakpoints_lift(&w->breakpoints, w->space);
	for (size_t i = 0; i < w->breakpoints.n; i++)
		if (is_mark(w, &w->breakpoints.v[i]))
			breakpoint_put_back(w->space, &w->breakpoints.v[i]);
	w->suspended = true;
}

void watch_resume(struct watch *w, pid_t tid)
{
	struct task *task = tracer_find_task(w->shared->tracer, tid);

	w->suspended = false;
	/* If it was executed while suspended the engine has not begun in it yet. */
	if (!w->engine && task && task_can_call(task)) {
		watch_begin_engine(w, task);
		w->arming = ARM_HELD;
	}
	watch_modules(w, tid);
	w->arming = ARM_LATER;
	breakpoints_put_back(&w->breakpoints, w->space);
	watch_look_at_got_entries(w);
	if (w->engine)
		w->shared->engine->suspend(w->engine, false);
}

/* Any C library has clone(), which alone shows no allocations. */
static bool shows_something(const struct watch *w, const struct breakpoint *bp)
{
	return bp->roles & (BREAKPOINT_RENDEZVOUS | BREAKPOINT_RESOLVER) ||
	       (bp->roles & BREAKPOINT_ENTRY && watch_probe(w, bp->probe)->mark != MARK_CLONE);
}

bool watch_can_see(const struct watch *w)
{
	if (w->shared->no_traps)
		return true;
	if (w->n_taken)
		return true;
	for (size_t i = 0; i < w->breakpoints.n; i++)
		if (shows_something(w, &w->breakpoints.v[i]))
			return true;
	return false;
}

int watch_clean(struct watch *w)
{
	breakpoints_lift(&w->breakpoints, w->space);
	if (!w->engine)
		return 0;
	tracer_bring_caller(w->shared->tracer, w->space);
	return w->shared->engine->remove(w->engine);
}

void watch_clean_copy(const struct watch *w, struct task *child)
{
	breakpoints_lift(&w->breakpoints, child->space);
	if (w->engine)
		w->shared->engine->clean_copy(w->engine, child);
}
