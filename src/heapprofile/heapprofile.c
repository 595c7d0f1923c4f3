/* SPDX-License-Identifier: BSD-2-Clause */
#include "heapprofile/internal.h"

#include "base/memstream.h"
#include "base/printable.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct recorder_ops ops;

static struct heapprofile *of(struct recorder *r)
{
	return (struct heapprofile *)r;
}

const struct profile *heap_counted(const struct heapprofile *h)
{
	return h->own ? h->own : h->how.profile;
}

/* ---- writing ---- */

__attribute__((format(printf, 2, 3))) static void announce(const struct heapprofile *h,
							   const char *fmt, ...)
{
	char line[8192], safe[4 * sizeof line + 1];
	va_list ap;

	if (h->how.options->quiet)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	printable(safe, sizeof safe, line);
	h->how.announce(safe);
}

/* Uses the map that was read last. */
static int dump(struct heapprofile *h, const char *reason, char **path, struct error *e)
{
	char *name;
	int err = heap_write_file(h, &name, e);
	if (err)
		return err;
	announce(h, "Dumping heap profile to %s (%s)", name, reason);
	if (path)
		*path = name;
	else
		free(name);
	return 0;
}

int heapprofile_dump(struct heapprofile *h, const char *reason, char **path, struct error *e)
{
	if (path)
		*path = NULL;
	if (!h->on)
		return error_set(e, -EINVAL, "process %d: no heap profile is being "
					     "recorded", (int)h->how.pid);
	heap_read_map(h);
	return dump(h, reason, path, e);
}

static void dump_or_complain(struct heapprofile *h, const char *reason)
{
	struct error e;

	if (!dump(h, reason, NULL, &e))
		return;
	h->unwritten++;
	h->how.unwritten(h->how.ctx, e.text);
}

void heapprofile_due(struct heapprofile *h, const char *reason)
{
	if (!h->on)
		return;
	heap_read_map(h);
	dump_or_complain(h, reason);
}

/* Write a profile if one is due by the rules. */
static void check(struct heapprofile *h, uint64_t now_ns)
{
	enum heap_cause cause = heap_due(&h->how.options->intervals, &h->marks, &h->totals, now_ns);
	char reason[128];

	if (cause == HEAP_NOT_DUE)
		return;
	heap_reason(reason, sizeof reason, cause, &h->marks, &h->totals, now_ns);
	/* Before writing: a profile that cannot be written is not tried again at once. */
	heap_was_due(&h->marks, &h->totals, cause, now_ns);
	heapprofile_due(h, reason);
}

static void on_tick(struct recorder *r, uint64_t now_ns)
{
	struct heapprofile *h = of(r);

	if (h->on && h->how.options->intervals.time_ns)
		check(h, now_ns);
}

/* ---- counting ---- */

/* Make room for the counts of all leaves. */
static int grow_counts(struct heapprofile *h)
{
	size_t n = heap_counted(h)->cap_leaves;

	if (heap_counted(h)->n_leaves <= h->n_counts)
		return 0;
	struct heap_count *grown = reallocarray(h->counts, n, sizeof *grown);
	if (!grown)
		return -ENOMEM;
	memset(grown + h->n_counts, 0, (n - h->n_counts) * sizeof *grown);
	h->counts = grown;
	h->n_counts = n;
	return 0;
}

static void count_alloc(struct heapprofile *h, uint32_t leaf, uint64_t now_ns)
{
	uint64_t size = heap_counted(h)->leaves[leaf].size;

	h->counts[leaf].allocs++;
	h->totals.allocs++;
	h->totals.alloc_bytes += size;
	check(h, now_ns);
}

static void count_free(struct heapprofile *h, uint32_t leaf)
{
	h->counts[leaf].frees++;
	h->totals.frees++;
	h->totals.free_bytes += heap_counted(h)->leaves[leaf].size;
}

/* Count an event in our own profile: frame numbers are those of the image's profile, node numbers
 * are not. */
static int count_own(struct heapprofile *h, const struct alloc_event *e, struct block_change *own)
{
	struct alloc_event framed = *e;

	if (!e->chain.node)
		return profile_event(h->own, e, own);
	size_t n = profile_chain_of(h->how.profile, e->chain.node, NULL, 0);
	uint32_t *frames = malloc(n * sizeof *frames + 1);
	if (!frames)
		return -ENOMEM;
	profile_chain_of(h->how.profile, e->chain.node, frames, n);
	framed.chain = (struct alloc_chain){ .frames = frames, .n = n,
					     .truncated = e->chain.truncated };
	int err = profile_event(h->own, &framed, own);
	free(frames);
	return err;
}

/* The change of what is counted here: @c, or @own. NULL: none, since it is off or out of memory. */
static const struct block_change *change_of(struct heapprofile *h, const struct alloc_event *e,
					    const struct block_change *c, struct block_change *own)
{
	if (!h->on)
		return NULL;
	if ((h->own && count_own(h, e, own)) || grow_counts(h)) {
		h->lost++;
		return NULL;
	}
	return h->own ? own : c;
}

static void count_free_and_check(struct heapprofile *h, uint32_t leaf, uint64_t now_ns)
{
	count_free(h, leaf);
	check(h, now_ns);
}

/* Not a call of the program: it makes no profile due, and there may be millions. */
static void on_missed(struct recorder *r, const struct alloc_event *e, const struct block_change *c)
{
	struct heapprofile *h = of(r);
	struct block_change own;

	c = change_of(h, e, c, &own);
	if (c && c->kind == BLOCK_GONE)
		count_free(h, c->old_leaf);
}

static void on_event(struct recorder *r, const struct alloc_event *e, const struct block_change *c)
{
	struct heapprofile *h = of(r);
	struct block_change own;

	c = change_of(h, e, c, &own);
	if (!c)
		return;
	if (c->replaced_leaf != PD_NONE)
		count_free_and_check(h, c->replaced_leaf, e->time_ns);
	/* A realloc counts as two events, between which a profile may be due. */
	if (c->kind == BLOCK_GONE || c->kind == BLOCK_RESIZED)
		count_free_and_check(h, c->old_leaf, e->time_ns);
	if (c->kind == BLOCK_NEW || c->kind == BLOCK_RESIZED)
		count_alloc(h, c->leaf, e->time_ns);
}

static void on_pages(struct recorder *r, const struct page_event *e, uint32_t node)
{
	struct heapprofile *h = of(r);

	/* The log needs the program break, too. */
	if (!h->on || !(h->how.options->mapped || h->how.options->log))
		return;
	/* What the loader maps before the program starts is not counted. */
	if (mapped_event(&h->mapped, e, node, heap_is_loader(h, node)))
		h->lost++;
}

static void forget(struct heapprofile *h, uint64_t now_ns)
{
	/* libc asks the kernel for the break only once, so it is kept. */
	const taddr brk = h->mapped.brk;

	free(h->counts);
	h->counts = NULL;
	h->n_counts = 0;
	mapped_release(&h->mapped);
	h->mapped.brk = brk;
	h->totals = (struct heap_totals){ 0 };
	h->marks = (struct heap_marks){ .time_ns = now_ns };
}

static void on_mark(struct recorder *r, enum recorder_mark mark, pid_t task, uint64_t time_ns)
{
	struct heapprofile *h = of(r);

	(void)task;
	if (mark != RECORD_RESTARTED || !h->on)
		return;
	if (h->own)
		profile_restart(h->own);
	forget(h, time_ns);
}

/* ---- begin and end ---- */

int heapprofile_start(struct heapprofile *h, const char *prefix, bool early, uint64_t now_ns,
		      struct error *e)
{
	if (h->on)
		return 0;
	int err = heap_set_prefix(h, prefix, e);
	if (err)
		return err;
	if (!early && !h->own && !(h->own = profile_new()))
		return error_set(e, -ENOMEM, "process %d: no heap profiles: out of "
					     "memory", (int)h->how.pid);
	if (!early)
		profile_restart(h->own);
	forget(h, now_ns);
	h->on = true;
	heap_read_map(h);
	h->mapped.brk = heap_end_of_break(h);
	/* Files named by the program itself must not be deleted. */
	if (!prefix && !h->how.options->no_cleanup && !h->number)
		heap_cleanup(h);
	announce(h, "Starting tracking the heap");
	return 0;
}

void heapprofile_stop(struct heapprofile *h)
{
	if (!h->on)
		return;
	h->on = false;
	forget(h, 0);
	profile_free(h->own);
	h->own = NULL;
}

bool heapprofile_is_on(const struct heapprofile *h)
{
	return h->on;
}

unsigned heapprofile_number(const struct heapprofile *h)
{
	return h->number;
}

static void on_resume(struct recorder *r, uint64_t now_ns)
{
	struct heapprofile *h = of(r);
	struct error e;

	if (h->how.options->defer && heapprofile_start(h, NULL, false, now_ns, &e))
		h->how.complain(e.text);
}

static bool on_failed(const struct recorder *r)
{
	return ((const struct heapprofile *)r)->unwritten;
}

/* The last file shows the mappings as they are now. */
static void on_leaving(struct recorder *r)
{
	struct heapprofile *h = of(r);

	if (h->on)
		heap_read_map(h);
}

char *heapprofile_text(struct heapprofile *h, size_t *len)
{
	char *text = NULL;
	FILE *out = memstream_open(&text, len);
	int err = out ? 0 : -ENOMEM;

	if (out && h->on) {
		heap_read_map(h);
		err = heap_write_text(h, out);
	}
	if (out && fclose(out))
		err = -ENOMEM;
	if (!err)
		return text;
	free(text);
	return NULL;
}

static void on_end(struct recorder *r)
{
	struct heapprofile *h = of(r);
	char reason[64];
	struct error e;

	if (h->lost) {
		error_set(&e, 0,
			  "process %d: %" PRIu64
			  " events are not in its heap profiles: out of memory",
			  (int)h->how.pid, h->lost);
		h->how.complain(e.text);
	}
	if (!h->on)
		return;
	heap_exit_reason(reason, sizeof reason, &h->totals);
	/* The map is not read again: it may be that of another program by now. */
	dump_or_complain(h, reason);
	heapprofile_stop(h);
}

static void on_free(struct recorder *r)
{
	struct heapprofile *h = of(r);

	profile_free(h->own);
	mapped_release(&h->mapped);
	free(h->counts);
	free(h->prefix);
	free(h->map);
	free(h->modules);
	free(h);
}

struct recorder *heapprofile_new(const struct heapprofile_how *how)
{
	struct heapprofile *h = calloc(1, sizeof *h);

	if (!h)
		return NULL;
	h->r.ops = &ops;
	h->how = *how;
	h->number = how->number;
	return &h->r;
}

struct heapprofile *heapprofile_of(struct recorder *r)
{
	return of(r);
}

/* ---- fork ---- */

static int copy_state(struct heapprofile *to, const struct heapprofile *from)
{
	if (from->own && !(to->own = profile_fork(from->own)))
		return -ENOMEM;
	to->counts = malloc(from->n_counts * sizeof *to->counts + 1);
	to->modules = malloc(from->n_modules * sizeof *to->modules + 1);
	if (!to->counts || !to->modules)
		return -ENOMEM;
	if (from->n_counts)
		memcpy(to->counts, from->counts, from->n_counts * sizeof *to->counts);
	if (from->n_modules)
		memcpy(to->modules, from->modules, from->n_modules * sizeof *to->modules);
	to->n_counts = from->n_counts;
	to->n_modules = to->cap_modules = from->n_modules;
	to->totals = from->totals;
	to->marks = from->marks;
	return mapped_copy(&to->mapped, &from->mapped);
}

static struct recorder *on_fork(const struct recorder *r, const struct profile *child, pid_t pid)
{
	const struct heapprofile *from = (const struct heapprofile *)r;
	struct heapprofile_how how = from->how;
	struct error e;

	how.profile = child;
	how.pid = pid;
	how.first = false;
	how.number = 0;
	struct recorder *copy = heapprofile_new(&how);
	if (!copy || !from->on)
		return copy;
	struct heapprofile *h = of(copy);
	if (copy_state(h, from)) {
		on_free(copy);
		return NULL;
	}
	/* If the parent set its prefix itself, without an option, there is none for the child. */
	if (!how.options->prefix)
		return copy;
	if (heap_set_prefix(h, NULL, &e)) {
		how.complain(e.text);
		return copy;
	}
	h->on = true;
	heap_read_map(h);
	if (!how.options->no_cleanup)
		heap_cleanup(h);
	return copy;
}

static const struct recorder_ops ops = {
	.event = on_event,
	.missed = on_missed,
	.mark = on_mark,
	.pages = on_pages,
	.fork = on_fork,
	.end = on_end,
	.free = on_free,
	.modules = heap_modules,
	.call = heap_call,
	.leaving = on_leaving,
	.signal = heap_signal,
	.tick = on_tick,
	.resume = on_resume,
	.failed = on_failed,
};
