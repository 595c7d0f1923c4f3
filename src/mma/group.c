/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/group_internal.h"

#include "base/array.h"
#include "base/idindex.h"

#include <errno.h>
#include <stdlib.h>

struct mma_group {
	struct mma_group_ops ops;
	struct mma_stats stats;
	struct mma_process **all;		/* in the order of joining */
	size_t n, cap;
	struct idindex latest_of;		/* by pid: the latest process that has it */
	struct mma_process *ending;		/* its program has just ended; the process may go on
						   by exec */
	const struct mma_process *latest;	/* the process of the last entry */
	int err;				/* -errno if an entry could not be counted */
	bool suspended;				/* at least once; then, the counters at that
						   time: */
	uint64_t unknown_before, replaced_before;
};

struct mma_group *mma_group_new(const struct mma_group_ops *ops)
{
	struct mma_group *g = calloc(1, sizeof *g);

	if (!g)
		return NULL;
	g->ops = *ops;
	return g;
}

static void process_free(struct mma_process *p)
{
	mma_order_release(&p->order);
	mma_space_release(&p->space);
	mma_writer_close(p->log);
	free(p->name);
	free(p);
}

void mma_group_free(struct mma_group *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n; i++)
		process_free(g->all[i]);
	free(g->all);
	idindex_release(&g->latest_of);
	free(g);
}

/* ---- entries ---- */

/*
 * Times never decrease. Entries of different processes never have the same time: a reader of their
 * logs could not tell which came first.
 */
static uint64_t in_order(const struct mma_process *p, uint64_t t)
{
	const struct mma_group *g = p->group;
	uint64_t least = g->stats.last_ns + (g->latest && g->latest != p);

	return g->stats.begun && t < least ? least : t;
}

static void failed(struct mma_group *g, int err)
{
	if (err && !g->err)
		g->err = err;
}

static void put_now(void *ctx, const struct mma_entry *entry)
{
	struct mma_process *p = ctx;
	struct mma_entry e = *entry;

	e.time_ns = in_order(p, e.time_ns);
	p->group->latest = p;
	if (p->log)
		mma_writer_add(p->log, &e);
	failed(p->group, mma_stats_add(&p->group->stats, &p->space, &e));
}

static struct mma_sink sink_of(struct mma_process *p)
{
	return (struct mma_sink){ put_now, p };
}

static struct mma_entry stamp(uint32_t tid, uint64_t now)
{
	return (struct mma_entry){ .time_ns = now, .tid = tid, .type = MMA_TMSTMP };
}

/* ---- ends ---- */

static void leave(struct mma_process *p)
{
	struct mma_sink sink = sink_of(p);
	struct mma_entry last = stamp((uint32_t)p->pid, p->end_ns);

	mma_order_flush(&p->order, p->end_ns, &sink);
	put_now(p, &last);
	mma_stats_end_space(&p->group->stats, &p->space);
	/* Many processes may come and go: keep no more of each than its name. */
	p->ended = true;
	mma_space_release(&p->space);
	mma_order_release(&p->order);
	p->log_err = mma_writer_close(p->log);
	p->log = NULL;
}

/* When a program ends, its process has ended, too, unless an exec follows, and that follows
 * immediately. So this is decided by the next event. */
static void apply_ending(struct mma_group *g)
{
	struct mma_process *p = g->ending;

	g->ending = NULL;
	if (p)
		leave(p);
}

void mma_process_end(struct mma_process *p, uint64_t now_ns)
{
	apply_ending(p->group);
	if (p->ended)
		return;
	p->end_ns = now_ns;
	p->group->ending = p;
}

void mma_group_end(struct mma_group *g, uint64_t now_ns)
{
	apply_ending(g);
	for (size_t i = g->n; i-- > 0;) {
		if (g->all[i]->ended)
			continue;
		g->all[i]->end_ns = now_ns;
		leave(g->all[i]);
	}
}

/* ---- calls ---- */

void mma_process_call(struct mma_process *p, const struct mma_entry *e)
{
	struct mma_sink sink = sink_of(p);

	apply_ending(p->group);
	if (!p->ended)
		failed(p->group, mma_order_add(&p->order, e, &sink));
}

void mma_process_stamp(struct mma_process *p, uint32_t tid, uint64_t now_ns)
{
	struct mma_entry e = stamp(tid, now_ns);

	mma_process_call(p, &e);
}

void mma_process_realloc(struct mma_process *p, int32_t task, uint64_t ptr)
{
	apply_ending(p->group);
	if (!p->ended)
		failed(p->group, mma_order_begin(&p->order, task, ptr));
}

void mma_process_realloc_end(struct mma_process *p, int32_t task, uint64_t ptr,
			     const struct mma_entry *e, uint64_t now_ns)
{
	struct mma_sink sink = sink_of(p);

	apply_ending(p->group);
	if (!p->ended)
		failed(p->group, mma_order_end(&p->order, task, ptr, e, now_ns, &sink));
}

/* ---- new programs ---- */

static int by_address(const void *a, const void *b)
{
	const struct mma_block *x = a, *y = b;

	return x->ptr < y->ptr ? -1 : x->ptr > y->ptr;
}

/* After an exec the memory of the old program is gone: the log gets frees for its blocks. */
static int free_all(struct mma_process *p, uint64_t now)
{
	const struct mma_blocks *b = &p->space.blocks;
	struct mma_block *live = calloc(b->table.n + 1, sizeof *live);
	const struct mma_block *block;
	size_t n = 0, at = 0;

	if (!live)
		return -ENOMEM;
	while ((block = mma_blocks_next(b, &at)))
		live[n++] = *block;
	qsort(live, n, sizeof *live, by_address);
	for (size_t i = 0; i < n; i++) {
		struct mma_entry e = {
			.time_ns = now, .tid = (uint32_t)p->pid, .type = MMA_FREE,
			.ptr = live[i].ptr,
		};
		put_now(p, &e);
	}
	free(live);
	return 0;
}

/* The process continues with another program after an exec. */
static void go_on(struct mma_process *p, uint64_t now)
{
	struct mma_sink sink = sink_of(p);
	uint64_t end = now;

	if (p->group->ending == p) {
		end = p->end_ns;
		p->group->ending = NULL;
	}
	apply_ending(p->group);
	mma_order_flush(&p->order, end, &sink);
	failed(p->group, free_all(p, end));
}

static bool has_pid(const void *group, uint32_t id, const void *pid)
{
	return ((const struct mma_group *)group)->all[id]->pid == *(const pid_t *)pid;
}

static uint64_t hash_of(const void *group, uint32_t id)
{
	return hash_mix((uint64_t)((const struct mma_group *)group)->all[id]->pid);
}

/* Find the latest process with this pid, or IDINDEX_NONE. */
static uint32_t latest_of(const struct mma_group *g, pid_t pid)
{
	return idindex_find(&g->latest_of, hash_mix((uint64_t)pid), has_pid, g, &pid);
}

/* Add a process, which takes the place of @before as the latest one with its pid. 0 or -ENOMEM. */
static int add(struct mma_group *g, struct mma_process *p, uint32_t before)
{
	uint64_t hash = hash_mix((uint64_t)p->pid);

	if (ARRAY_RESERVE(&g->all, &g->cap, g->n))
		return -ENOMEM;
	if (before != IDINDEX_NONE)
		idindex_remove(&g->latest_of, before, hash, hash_of, g);
	int err = idindex_add(&g->latest_of, (uint32_t)g->n, hash, hash_of, g);
	if (!err)
		g->all[g->n++] = p;
	return err;
}

/* An earlier process, which has ended, may have had the same pid: @before. */
static struct mma_process *process_new(struct mma_group *g, pid_t pid, uint32_t before)
{
	struct mma_process *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->group = g;
	p->pid = pid;
	p->nth = before == IDINDEX_NONE ? 0 : g->all[before]->nth + 1;
	if (add(g, p, before)) {
		free(p);
		return NULL;
	}
	if (g->ops.open) {
		struct mma_file f = g->ops.open(g->ops.ctx, pid, p->nth);

		p->name = f.name;
		if (f.fd >= 0)
			p->log = mma_writer_new(f.fd, g->ops.humanized, f.compress);
		if (f.fd < 0)
			failed(g, -EIO);
		else if (!p->log)
			failed(g, -ENOMEM);
	}
	return p;
}

struct mma_process *mma_group_join(struct mma_group *g, pid_t pid, uint64_t now_ns)
{
	uint32_t before = latest_of(g, pid);
	struct mma_process *p;

	if (before != IDINDEX_NONE && !g->all[before]->ended) {
		p = g->all[before];
		go_on(p, now_ns);
	} else {
		apply_ending(g);
		p = process_new(g, pid, before);
	}
	if (p)
		mma_process_stamp(p, (uint32_t)pid, now_ns);
	return p;
}

/* ---- what there is ---- */

void mma_group_suspended(struct mma_group *g)
{
	if (g->suspended)
		return;
	g->suspended = true;
	g->unknown_before = g->stats.unknown_free;
	g->replaced_before = g->stats.replaced;
}

bool mma_group_missed(const struct mma_group *g, uint64_t *unknown_free, uint64_t *replaced)
{
	*unknown_free = g->stats.unknown_free - g->unknown_before;
	*replaced = g->stats.replaced - g->replaced_before;
	return g->suspended;
}

const struct mma_stats *mma_group_stats(const struct mma_group *g)
{
	return &g->stats;
}

int mma_group_flush(struct mma_group *g)
{
	int err = 0;

	for (size_t i = 0; i < g->n; i++) {
		struct mma_process *p = g->all[i];
		int one = p->log ? mma_writer_flush(p->log) : 0;

		err = err ? err : one;
	}
	return err;
}

int mma_group_close(struct mma_group *g, void (*closed)(void *ctx, const char *name, int err),
		    void *ctx)
{
	int err = g->err;

	for (size_t i = 0; i < g->n; i++) {
		struct mma_process *p = g->all[i];

		if (p->log)
			p->log_err = mma_writer_close(p->log);
		p->log = NULL;
		if (p->name)
			closed(ctx, p->name, p->log_err);
		err = err ? err : p->log_err;
	}
	return err;
}
