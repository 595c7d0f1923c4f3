/* SPDX-License-Identifier: BSD-2-Clause */
/* What the agent has to know about the program: where memory is, and its call frame rows. */
#include "fast/engine_internal.h"

#include "base/array.h"
#include "base/search.h"
#include "fast/ranges.h"
#include "proc/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* ---- memory ---- */

static int add_range(const struct proc_map *m, void *ranges)
{
	return ranges_add(ranges, m);
}

/* Ranges are written word by word: a thread that reads them meanwhile will read them again. */
#define LOAD(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define STORE(word, value) __atomic_store_n(&(word), value, __ATOMIC_RELAXED)

static uint32_t begin_writing(struct agent_shared *s)
{
	const uint32_t turn = LOAD(s->ranges_turn) & ~1u;

	STORE(s->ranges_turn, turn + 1);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return turn;
}

static void end_writing(struct agent_shared *s, uint32_t n, uint32_t turn)
{
	STORE(s->n_ranges, n);
	__atomic_store_n(&s->ranges_turn, turn + 2, __ATOMIC_RELEASE);
}

static void write_ranges(struct agent_shared *s, const struct ranges *r)
{
	uint32_t n = r->n < AGENT_RANGES ? (uint32_t)r->n : AGENT_RANGES;
	uint32_t turn = begin_writing(s);

	for (uint32_t i = 0; i < n; i++) {
		STORE(s->ranges[i].lo, r->v[i].lo);
		STORE(s->ranges[i].hi, r->v[i].hi);
	}
	end_writing(s, n, turn);
}

void told_open(struct engine *e)
{
	e->maps = proc_open(e->space->pid, "maps", O_RDONLY);
}

/* All mappings. An undumpable program's can be read only by the file that was opened before. */
static int read_ranges(const struct engine *e, struct ranges *r)
{
	if (e->maps >= 0 && proc_maps_each_of(e->maps, add_range, r) >= 0 && r->n)
		return 0;
	r->n = r->end = 0;
	return proc_maps_each(tasks_tid(e), add_range, r);
}

int tell_ranges(struct engine *e)
{
	const struct proc_status status = proc_status(tasks_tid(e));
	struct ranges r = { .stack_limit = UINT64_MAX, .apart = ranges_faults_show(&status) };
	struct rlimit stack;

	if (!prlimit(tasks_tid(e), RLIMIT_STACK, NULL, &stack) && stack.rlim_cur != RLIM_INFINITY)
		r.stack_limit = stack.rlim_cur;
	int err = read_ranges(e, &r);
	/* Even if not all could be read: a part is better than nothing, and threads that ask have
	 * to be answered. */
	write_ranges(engine_agent(e), &r);
	free(r.v);
	return err < 0 ? err : 0;
}

/* Add a range between those that the agent knows. False: it overlaps one, which is out of date, or
 * there is no room. */
static bool add_between(struct agent_shared *s, const struct agent_range *r)
{
	const uint32_t n = LOAD(s->n_ranges);

	if (!n || n >= AGENT_RANGES)
		return false;
	const size_t at = SEARCH_FIRST((size_t)n, i, LOAD(s->ranges[i].hi) > r->lo);
	if (at < n && LOAD(s->ranges[at].lo) < r->hi)
		return false;
	const uint32_t turn = begin_writing(s);
	for (size_t i = n; i > at; i--) {
		STORE(s->ranges[i].lo, LOAD(s->ranges[i - 1].lo));
		STORE(s->ranges[i].hi, LOAD(s->ranges[i - 1].hi));
	}
	STORE(s->ranges[at].lo, r->lo);
	STORE(s->ranges[at].hi, r->hi);
	end_writing(s, n + 1, turn);
	return true;
}

static bool ranges_have(const struct agent_shared *s, taddr at)
{
	const uint32_t all = LOAD(s->n_ranges);
	const size_t n = all < AGENT_RANGES ? all : AGENT_RANGES;
	const size_t first = SEARCH_FIRST(n, i, LOAD(s->ranges[i].hi) > at);

	return first < n && LOAD(s->ranges[first].lo) <= at;
}

/* New threads mostly reuse stacks of old ones. To read the whole map takes longer than many threads
 * live, and the more threads there are the longer. */
void tell_stack(struct engine *e, taddr sp)
{
	struct agent_shared *s = engine_agent(e);
	struct proc_map m;

	if (ranges_have(s, sp))
		return;
	if (e->maps < 0 || proc_map_at(e->maps, sp, &m) || !m.readable || !m.writable ||
	    !add_between(s, &(struct agent_range){ m.start, m.end }))
		tell_ranges(e);
}

/* Copy the parent's ranges. If the agent misses one it will ask. */
static void copy_ranges(struct engine *e, const struct engine *parent)
{
	const struct agent_shared *from = engine_agent(parent);
	struct agent_shared *to = engine_agent(e);
	uint32_t n = from->n_ranges < AGENT_RANGES ? from->n_ranges : AGENT_RANGES;

	memcpy(to->ranges, from->ranges, n * sizeof *to->ranges);
	to->n_ranges = n;
}

/* ---- frames ---- */

static int add_known(struct engine *e, const struct mapping *m, const struct cfi_rows *rows)
{
	struct known_code k = { .module = { .lo = m->bias + rows->start,
					    .hi = m->bias + rows->end },
				.rows = rows };
	const struct known_code *last = e->n_known ? &e->known[e->n_known - 1] : NULL;

	/* Several mappings of one file's code share a table. */
	if (!rows->n || k.module.lo >= m->end || k.module.hi <= m->start ||
	    (last && last->module.hi > k.module.lo))
		return 0;
	int err = placed_rows_put_file(&e->tables->rows, m->file, rows, &k.module);
	/* For a file without rows the agent copies stacks, and they are unwound here. */
	if (err == -ENOSPC)
		return 0;
	if (err || ARRAY_RESERVE(&e->known, &e->cap_known, e->n_known))
		return -ENOMEM;
	e->known[e->n_known++] = k;
	return 0;
}

static int by_address(const void *a, const void *b)
{
	taddr x = ((const struct agent_module *)a)->lo, y = ((const struct agent_module *)b)->lo;

	return (x > y) - (x < y);
}

static int put_agent(struct engine *e)
{
	const struct cfi_rows *rows = &e->shared->agent;

	if (e->agent_rows.rows)
		return 0;
	e->agent_rows.lo = e->agent + rows->start;
	e->agent_rows.hi = e->agent + rows->end;
	return placed_rows_put(&e->tables->rows, rows, &e->agent_rows);
}

static int put_pads(struct engine *e, unsigned area)
{
	struct cfi_rows rows = { 0 };
	struct agent_module m;
	int err = own_code_of_pads(e, area, &rows);

	m = (struct agent_module){ .lo = rows.start, .hi = rows.end };
	if (!err)
		err = placed_rows_put(&e->tables->rows, &rows, &m);
	if (!err)
		e->near[area].rows = m;
	cfirows_release(&rows);
	return err;
}

static int put_all_pads(struct engine *e)
{
	int err = 0;

	for (unsigned i = 0; i < e->n_near && !err; i++)
		err = put_pads(e, i);
	return err;
}

/* Write the list of all modules. Without one the agent copies stacks, and they are unwound here. */
static int tell_list(struct engine *e)
{
	struct agent_module *v = reallocarray(NULL, e->n_known + 1 + NEAR_AREAS, sizeof *v);
	size_t n = e->n_known;
	taddr at = 0;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		v[i] = e->known[i].module;
	int err = put_agent(e);
	if (e->agent_rows.rows)
		v[n++] = e->agent_rows;
	for (unsigned i = 0; i < e->n_near; i++)
		if (e->near[i].rows.rows)
			v[n++] = e->near[i].rows;
	qsort(v, n, sizeof *v, by_address);
	if (!err)
		err = placed_rows_put_list(&e->tables->rows, v, n, &at);
	free(v);
	__atomic_store_n(&engine_agent(e)->modules, at, __ATOMIC_RELEASE);
	/* There may be other code at an address now: forget remembered rows. */
	shared_empty(engine_agent(e)->rows, sizeof engine_agent(e)->rows);
	return err;
}

int tell_modules(struct engine *e, const struct mappings *maps)
{
	int err = 0;

	e->n_known = 0;
	for (size_t i = 0; i < maps->n && !err; i++) {
		const struct cfi_rows *rows = table_file(&e->shared->tables,
							 e->host->files(e->host->ctx),
							 maps->maps[i].file);

		err = rows ? add_known(e, &maps->maps[i], rows) : -ENOMEM;
	}
	int told = tell_list(e);
	return err ? err : told;
}

int tell_own_code(struct engine *e)
{
	int err = put_all_pads(e);

	return err ? err : tell_list(e);
}

int tell_copy(struct engine *e, const struct engine *parent)
{
	e->known = calloc(parent->n_known + 1, sizeof *e->known);
	if (!e->known)
		return -ENOMEM;
	if (parent->n_known)
		memcpy(e->known, parent->known, parent->n_known * sizeof *e->known);
	e->n_known = parent->n_known;
	e->cap_known = parent->n_known + 1;
	e->agent_rows = parent->agent_rows;
	copy_ranges(e, parent);
	__atomic_store_n(&engine_agent(e)->modules,
			 __atomic_load_n(&engine_agent(parent)->modules, __ATOMIC_RELAXED),
			 __ATOMIC_RELEASE);
	return 0;
}

void tell_rows_anew(struct engine *e)
{
	if (memory_own_tables(e)) {
		e->tables->rows.full = false; /* do not try again: stacks are copied */
		return;
	}
	__atomic_store_n(&engine_agent(e)->modules, 0, __ATOMIC_RELEASE);
	placed_rows_clear(&e->tables->rows);
	e->agent_rows.rows = 0;
	for (unsigned i = 0; i < e->n_near; i++)
		e->near[i].rows.rows = 0;
	/* If there is no room stacks are copied. */
	put_all_pads(e);
	tell_modules(e, e->host->mappings(e->host->ctx));
	e->tables->rows.full = false;
}
