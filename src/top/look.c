/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/look.h"

#include "base/array.h"
#include "naming/apart.h"
#include "profile/own_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- names ---- */

static void forget_files(struct top_namer *n)
{
	namer_release(&n->namer);
	for (size_t i = 0; i < n->n_files; i++) {
		free((char *)(uintptr_t)n->files[i].path);
		if (n->files[i].fd >= 0)
			close(n->files[i].fd);
	}
	n->n_files = 0;
}

/* File numbers never change in a session; files are only added. */
static bool knows_files(const struct top_namer *n, const struct figures *f)
{
	bool same = n->n_files && n->tracer == f->head.tracer && n->n_files <= f->n_files;

	for (size_t i = 0; same && i < n->n_files; i++)
		same = !strcmp(n->files[i].path, f->files[i].path);
	return same;
}

static int add_file(struct top_namer *n, const struct figures *f, size_t i, top_open_fn *open)
{
	if (ARRAY_RESERVE(&n->files, &n->cap_files, n->n_files))
		return -ENOMEM;
	char *path = strdup(f->files[i].path);

	if (!path)
		return -ENOMEM;
	n->files[n->n_files++] = (struct resolve_module){
		path, f->files[i].fd < 0 ? -1 : open(f->head.tracer, f->files[i].fd)};
	return 0;
}

static int take_files(struct top_namer *n, const struct figures *f, top_open_fn *open)
{
	int err = 0;

	if (!knows_files(n, f)) {
		forget_files(n);
		n->tracer = f->head.tracer;
	}
	for (size_t i = n->n_files; !err && i < f->n_files; i++)
		err = add_file(n, f, i, open);
	return err;
}

static int take_threads(const struct lifetimes *from, struct top_look *out)
{
	out->by_thread = calloc(from->n_threads + 1, sizeof *out->by_thread);
	if (!out->by_thread)
		return -ENOMEM;
	for (size_t i = 0; i < from->n_threads; i++)
		out->by_thread[i] = (struct top_thread){.task = from->threads[i].task,
							.did = from->threads[i].did};
	out->n_by_thread = from->n_threads;
	return 0;
}

/* Name the whole profile, with types, which reads the files each time. The totals of the figures
 * include what is in no leaf, but a profile must have the sums of its leaves to be named. */
static int name_with_types(struct top_namer *n, const struct figures *f, int jit_map,
			   struct profile_data **data)
{
	const struct resolve_how how = { .search = n->search, .jit_map = jit_map };
	struct profile p = f->profile;

	p.totals = (struct pd_totals){ 0 };
	for (size_t i = 0; i < p.n_leaves; i++) {
		const struct call_leaf *l = &p.leaves[i];

		p.totals.allocs += l->allocs;
		p.totals.alloc_bytes += l->allocs * l->size;
		p.totals.frees += l->frees;
		p.totals.free_bytes += l->frees * l->size;
	}
	int err = resolve_profile_apart(&how, &p, n->files, n->n_files,
					(uint32_t)f->head.program, n->say, data);

	if (!err)
		(*data)->totals = f->profile.totals;
	return err;
}

/* Only new places are looked up; soon there are none. */
static int name_places(struct top_namer *n, const struct figures *f, int jit_map,
		       struct profile_data **data)
{
	const struct namer_asks asks = { .search = n->search, .files = n->files,
					 .n_files = n->n_files, .jit_map = jit_map,
					 .say = n->say };
	const struct resolve_how how = { .jit_map = -1, .namer = &n->namer, .no_types = true };
	int err = namer_ask(&n->namer, &asks, f->profile.places, NULL, f->profile.n_places);

	*data = err ? NULL : profile_data_new();
	if (!*data)
		return -ENOMEM;
	return resolve_profile_by(&how, &f->profile, n->files, n->n_files,
				  (uint32_t)f->head.program, *data);
}

int top_name(struct top_namer *n, const struct figures *f, top_open_fn *open, int jit_map,
	     bool types, struct top_look *out)
{
	*out = (struct top_look){.head = f->head, .rest = f->rest};
	int err = take_files(n, f, open);

	if (!err)
		err = take_threads(&f->profile.lifetimes, out);
	if (!err)
		err = types ? name_with_types(n, f, jit_map, &out->data)
			    : name_places(n, f, jit_map, &out->data);
	out->own = err ? NULL : own_code_nodes(out->data, NULL);
	if (out->own)
		return 0;
	top_look_release(out);
	return -ENOMEM;
}

void top_namer_release(struct top_namer *n)
{
	forget_files(n);
	free(n->files);
	n->files = NULL;
	n->cap_files = 0;
}

void top_look_release(struct top_look *l)
{
	profile_data_free(l->data);
	free(l->own);
	free(l->by_thread);
	*l = (struct top_look){0};
}

/* ---- the head ---- */

bool top_look_follows(const struct top_look *l, const struct top_look *before)
{
	return before && before->data && before->head.pid == l->head.pid &&
	       before->head.tracer == l->head.tracer && before->head.image == l->head.image &&
	       before->head.restarts == l->head.restarts &&
	       before->head.time_ns < l->head.time_ns &&
	       before->data->totals.allocs <= l->data->totals.allocs &&
	       before->data->totals.frees <= l->data->totals.frees;
}

static double per_second(uint64_t now, uint64_t before, double seconds)
{
	return (double)(now - before) / seconds;
}

struct top_head top_head(const struct top_look *now, const struct top_look *before)
{
	const struct pd_totals *t = &now->data->totals;
	struct top_head h = {
		.pid = now->head.pid,
		.seconds = (double)now->head.elapsed_ns / 1e9,
		.live_bytes = t->alloc_bytes - t->free_bytes,
		.live_blocks = t->allocs - t->frees,
		.allocs = t->allocs,
		.frees = t->frees,
		.truncated = t->truncated_chains,
		.unknown_frees = t->unknown_frees,
		.lost = now->head.lost,
		.rss_kib = now->rss_kib,
		.threads = now->threads,
		.left_out = now->rest.leaves,
		.fast = now->head.fast,
		.suspended = now->head.suspended,
		.has_rates = top_look_follows(now, before),
	};

	if (!h.has_rates)
		return h;
	double seconds = (double)(now->head.time_ns - before->head.time_ns) / 1e9;
	double worked = per_second(now->head.worked_ns, before->head.worked_ns, seconds) / 1e7;

	h.allocs_per_s = per_second(t->allocs, before->data->totals.allocs, seconds);
	h.frees_per_s = per_second(t->frees, before->data->totals.frees, seconds);
	const struct cost_span cost = slowdown_between(&before->head.cost, &now->head.cost);

	h.slowdown = slowdown_of(&cost);
	if (!h.fast)
		h.fast_slowdown = slowdown_of_calls(
			&cost, t->allocs - before->data->totals.allocs + t->frees -
				       before->data->totals.frees);
	h.busy_percent = worked < 100 ? worked : 100;
	return h;
}
