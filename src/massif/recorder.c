/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/recorder_internal.h"

#include "base/array.h"
#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- time and snapshots ---- */

static uint64_t time_now(const struct massif_recorder *r)
{
	switch (r->host->settings->unit) {
	case MASSIF_MS:
		/* Events from before mprof_restart(), of other threads, may arrive after it. */
		return r->now_ns > r->start_ns ? (r->now_ns - r->start_ns) / 1000000 : 0;
	case MASSIF_INSTRUCTIONS:
		return icount_read(&r->instructions);
	case MASSIF_BYTES:
		break;
	}
	return r->now.churn;
}

static struct massif_detail *detail_now(const struct massif_recorder *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_contexts; i++)
		n += r->contexts[i].bytes != 0;
	struct massif_detail *d = malloc(sizeof *d + n * sizeof *d->shares);
	if (!d)
		return NULL;
	d->n_contexts = (uint32_t)r->n_contexts;
	d->n = 0;
	for (uint32_t i = 0; i < r->n_contexts; i++)
		if (r->contexts[i].bytes)
			d->shares[d->n++] = (struct massif_share){ i, r->contexts[i].bytes };
	return d;
}

static void take(struct massif_recorder *r, enum massif_attempt kind)
{
	struct massif_detail *d = NULL;

	if (kind == MASSIF_NOTHING)
		return;
	if (kind != MASSIF_PLAIN && !(d = detail_now(r))) {
		r->lost++;
		return;
	}
	r->lost += massif_take(&r->table, kind, &r->now, d) != 0;
}

void massif_try_ordinary(struct massif_recorder *r)
{
	r->now.time = time_now(r);
	enum massif_attempt kind = massif_ordinary_attempt(&r->table, r->now.time);

	if (kind != MASSIF_NOTHING && r->host->settings->pages)
		massif_find_stack_growth(r);
	take(r, kind);
}

void massif_try_peak(struct massif_recorder *r)
{
	enum massif_attempt kind = massif_peak_attempt(&r->table, massif_total(&r->now));

	if (kind == MASSIF_NOTHING)
		return;
	r->now.time = time_now(r);
	take(r, kind);
}

/* ---- contexts ---- */

struct massif_names *massif_recorder_names(struct massif_recorder *r)
{
	if (!r->names.profile && massif_names_init(&r->names, r->profile, r->host->namer)) {
		massif_names_release(&r->names);
		return NULL;
	}
	return &r->names;
}

/* Names are looked up only if options depend on them, and for no more frames than are needed. */
static bool is_ignored(struct massif_recorder *r, uint32_t node)
{
	const struct massif_filter *f = &r->host->settings->filter;
	struct massif_names *names;
	const uint32_t *ids;
	size_t n;

	if (!(f->ignore_fns && *f->ignore_fns) && !(f->alloc_fns && *f->alloc_fns))
		return false;
	names = massif_recorder_names(r);
	const struct namer_asks how = r->host->asks(r->host->ctx);

	if (names && !massif_names_ask(names, &how, &node, 1) &&
	    !massif_names_chain(names, node, f, massif_filter_decided, &ids, &n))
		return !massif_filter(f, names->entries, &ids, &n);
	r->lost++;
	return false;
}

static int reserve_nodes(struct massif_recorder *r)
{
	if (r->profile->n_nodes <= r->cap_of_node)
		return 0;
	uint32_t *grown = reallocarray(r->of_node, r->profile->cap_nodes, sizeof *grown);

	if (!grown)
		return -ENOMEM;
	memset(grown + r->cap_of_node, 0, (r->profile->cap_nodes - r->cap_of_node) * sizeof *grown);
	r->of_node = grown;
	r->cap_of_node = r->profile->cap_nodes;
	return 0;
}

struct massif_context *massif_context_at(struct massif_recorder *r, uint32_t node)
{
	if (reserve_nodes(r))
		return NULL;
	if (r->of_node[node])
		return &r->contexts[r->of_node[node] - 1];
	if (ARRAY_RESERVE(&r->contexts, &r->cap_contexts, r->n_contexts))
		return NULL;
	struct massif_context *c = &r->contexts[r->n_contexts];

	*c = (struct massif_context){ .node = node };
	c->ignored = is_ignored(r, node);
	r->of_node[node] = (uint32_t)++r->n_contexts;
	return c;
}

/* ---- operations of a recorder ---- */

static void on_event(struct recorder *base, const struct alloc_event *e,
		     const struct block_change *c)
{
	struct massif_recorder *r = (struct massif_recorder *)base;

	r->now_ns = e->time_ns;
	if (r->host->settings->stacks && e->sp)
		massif_count_stacks(r, stacks_sample(&r->stacks, e->task, e->sp));
	if (!r->host->settings->heap)
		return;
	massif_count_blocks(r, e, c);
}

static void on_pages(struct recorder *base, const struct page_event *e, uint32_t node)
{
	struct massif_recorder *r = (struct massif_recorder *)base;

	if (!r->host->settings->pages)
		return;
	r->now_ns = e->time_ns;
	massif_count_pages(r, e, node);
}

static void on_thread(struct recorder *base, pid_t tid, bool begins)
{
	struct massif_recorder *r = (struct massif_recorder *)base;

	if (!r->host->settings->stacks)
		return;
	r->now_ns = clock_now_ns();
	if (begins)
		stacks_begin_thread(&r->stacks, tid);
	else
		massif_count_stacks(r, stacks_end_thread(&r->stacks, tid));
}

/* ---- begin and end of a recorder ---- */

static void begin(struct massif_recorder *r)
{
	r->start_ns = r->now_ns = clock_now_ns();
	if (r->host->settings->pages)
		massif_pages_begin(r);
	massif_try_ordinary(r);
}

static void on_mark(struct recorder *base, enum recorder_mark mark, pid_t task, uint64_t time_ns)
{
	struct massif_recorder *r = (struct massif_recorder *)base;

	(void)task, (void)time_ns;
	if (mark != RECORD_RESTARTED)
		return;
	massif_table_clear(&r->table);
	live_release(&r->ignored);
	pages_release(&r->pages);
	for (size_t i = 0; i < r->n_contexts; i++)
		r->of_node[r->contexts[i].node] = 0;
	r->n_contexts = 0;
	r->now = (struct massif_numbers){ .stacks = r->now.stacks };
	begin(r);
}

static void on_free(struct recorder *base)
{
	struct massif_recorder *r = (struct massif_recorder *)base;

	massif_table_release(&r->table);
	live_release(&r->ignored);
	massif_names_release(&r->names);
	icount_close(&r->instructions);
	stacks_release(&r->stacks);
	pages_release(&r->pages);
	free(r->contexts);
	free(r->of_node);
	free(r);
}

static int copy_into(struct massif_recorder *to, const struct massif_recorder *from)
{
	if (pages_copy(&to->pages, &from->pages) || massif_table_copy(&to->table, &from->table) ||
	    live_copy(&to->ignored, &from->ignored, 0))
		return -ENOMEM;
	to->contexts = calloc(from->n_contexts + 1, sizeof *to->contexts);
	to->of_node = calloc(from->cap_of_node + 1, sizeof *to->of_node);
	if (!to->contexts || !to->of_node)
		return -ENOMEM;
	if (from->n_contexts)
		memcpy(to->contexts, from->contexts, from->n_contexts * sizeof *to->contexts);
	if (from->cap_of_node)
		memcpy(to->of_node, from->of_node, from->cap_of_node * sizeof *to->of_node);
	to->n_contexts = from->n_contexts;
	to->cap_contexts = from->n_contexts + 1;
	to->cap_of_node = from->cap_of_node;
	return 0;
}

/* The child's recorder continues from its parent's state: the same blocks, and the snapshots so
 * far. */
static struct recorder *on_fork(const struct recorder *base, const struct profile *child, pid_t pid)
{
	const struct massif_recorder *from = (const struct massif_recorder *)base;
	struct massif_recorder *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->base = *base;
	r->base.next = NULL;
	r->base.handle = NULL;
	r->host = from->host;
	r->profile = child;
	r->pid = pid;
	if (from->host->settings->unit == MASSIF_INSTRUCTIONS)
		icount_open(&r->instructions, from->host->instructions, pid,
			    icount_read(&from->instructions));
	r->start_ns = from->start_ns;
	r->now_ns = from->now_ns;
	r->now = from->now;
	if (from->stacks.source)
		r->now.stacks += (uint64_t)stacks_fork(&r->stacks, &from->stacks, pid);
	if (!copy_into(r, from))
		return &r->base;
	on_free(&r->base);
	return NULL;
}

/* Its file has been written, and the report does not need it. */
static bool on_finish(struct recorder *base)
{
	(void)base;
	return true;
}

static const struct recorder_ops massif_ops = {
	.event = on_event,
	.missed = on_event,
	.mark = on_mark,
	.pages = on_pages,
	.thread = on_thread,
	.fork = on_fork,
	.free = on_free,
	.finish = on_finish,
};

struct massif_recorder *massif_recorder_new(const struct massif_host *host, const struct profile *p,
					    pid_t pid)
{
	struct massif_recorder *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->base.ops = &massif_ops;
	r->host = host;
	r->profile = p;
	r->pid = pid;
	massif_table_init(&r->table, &host->settings->rules);
	if (host->settings->unit == MASSIF_INSTRUCTIONS)
		icount_open(&r->instructions, host->instructions, pid, 0);
	r->stacks = (struct stacks){ .source = host->stacks, .pid = pid };
	begin(r);
	return r;
}

struct recorder *massif_recorder_base(struct massif_recorder *r)
{
	return (struct recorder *)r;
}

struct massif_recorder *massif_recorder_of(struct recorder *base)
{
	return (struct massif_recorder *)base;
}

const struct massif_table *massif_recorder_table(const struct massif_recorder *r)
{
	return &r->table;
}

const struct massif_context *massif_recorder_contexts(const struct massif_recorder *r, size_t *n)
{
	*n = r->n_contexts;
	return r->contexts;
}

int massif_recorder_snapshot(struct massif_recorder *r, bool detailed, struct massif_snapshot *s)
{
	if (r->host->settings->pages)
		massif_find_stack_growth(r);
	*s = (struct massif_snapshot){ .at = r->now };
	if (r->host->settings->stacks)
		s->at.stacks = stacks_look(&r->stacks);
	r->now_ns = clock_now_ns();
	s->at.time = time_now(r);
	if (detailed && !(s->detail = detail_now(r)))
		return -ENOMEM;
	return 0;
}

const struct icount *massif_recorder_instructions(const struct massif_recorder *r)
{
	return &r->instructions;
}

uint64_t massif_recorder_lost(const struct massif_recorder *r)
{
	return r->lost;
}
