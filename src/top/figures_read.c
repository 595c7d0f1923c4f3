/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/figures.h"
#include "top/figures_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint64_t *figures_total(struct pd_totals *t, size_t i)
{
	uint64_t *const v[N_FIGURES_TOTALS] = {
		&t->allocs,
		&t->alloc_bytes,
		&t->frees,
		&t->free_bytes,
		&t->peak_bytes,
		&t->failed_allocs,
		&t->unknown_frees,
		&t->inherited_frees,
		&t->before_frees,
		&t->truncated_chains,
		&t->truncated_no_cfi,
		&t->truncated_unreadable,
		&t->truncated_too_deep,
	};

	return v[i];
}

uint64_t *figures_head_number(struct figures_head *h, size_t i)
{
	uint64_t *const v[N_FIGURES_HEAD] = {
		&h->pid,	&h->session,   &h->tracer, &h->image,	&h->restarts,
		&h->time_ns,	&h->elapsed_ns, &h->worked_ns, &h->lost,   &h->program,
		&h->cost.ran_ns, &h->cost.stopped_ns, &h->cost.taken_ns, &h->cost.calls,
	};

	return v[i];
}

/* ---- lists of numbers ---- */

/* A list with @each numbers per element; *n: number of elements. NULL: malformed. */
static const json_t *list(const json_t *o, const char *name, size_t each, size_t *n)
{
	const json_t *a = json_object_get(o, name);

	*n = json_array_size(a) / each;
	if (!json_is_array(a) || json_array_size(a) % each)
		return NULL;
	for (size_t i = 0; i < json_array_size(a); i++)
		if (!json_is_integer(json_array_get(a, i)))
			return NULL;
	return a;
}

static uint64_t number(const json_t *a, size_t i)
{
	return (uint64_t)json_integer_value(json_array_get(a, i));
}

static int read_places(const json_t *o, struct figures *f)
{
	struct profile *p = &f->profile;
	size_t n;
	const json_t *a = list(o, FIGURES_PLACES, 3, &n);

	if (!a)
		return -EINVAL;
	p->places = calloc(n + 1, sizeof *p->places);
	if (!p->places)
		return -ENOMEM;
	for (p->n_places = 0; p->n_places < n; p->n_places++) {
		size_t i = p->n_places * 3;
		uint64_t module = number(a, i), flags = number(a, i + 2);

		if (module != PD_NONE && module >= f->n_files)
			return -EINVAL;
		p->places[p->n_places] = (struct profile_place){.module = (uint32_t)module,
								.address = number(a, i + 1),
								.exact = flags & 1,
								.guessed = flags >> 1 & 1};
	}
	return 0;
}

static int read_nodes(const json_t *o, struct figures *f)
{
	struct profile *p = &f->profile;
	size_t n;
	const json_t *a = list(o, FIGURES_NODES, 2, &n);

	if (!a)
		return -EINVAL;
	p->nodes = calloc(n + PD_FIRST_NODE, sizeof *p->nodes);
	if (!p->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < PD_FIRST_NODE; i++)
		p->nodes[i] = (struct call_node){.parent = PD_NONE, .frame = PD_NONE};
	p->n_nodes = PD_FIRST_NODE;
	for (size_t i = 0; i < n; i++) {
		uint64_t parent = number(a, i * 2), frame = number(a, i * 2 + 1);

		if (parent >= p->n_nodes || frame >= p->n_places)
			return -EINVAL;
		p->nodes[p->n_nodes++] =
			(struct call_node){.parent = (uint32_t)parent, .frame = (uint32_t)frame};
	}
	return 0;
}

static int read_leaves(const json_t *o, struct figures *f)
{
	struct profile *p = &f->profile;
	size_t n;
	const json_t *a = list(o, FIGURES_LEAVES_NAME, 4, &n);

	if (!a)
		return -EINVAL;
	p->leaves = calloc(n + 1, sizeof *p->leaves);
	if (!p->leaves)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint64_t node = number(a, i * 4), allocs = number(a, i * 4 + 2),
			 frees = number(a, i * 4 + 3);

		if (node >= p->n_nodes || frees > allocs)
			return -EINVAL;
		p->leaves[p->n_leaves++] = (struct call_leaf){.node = (uint32_t)node,
							      .size = number(a, i * 4 + 1),
							      .allocs = allocs,
							      .frees = frees};
	}
	return 0;
}

static int read_temporary(const json_t *o, struct figures *f)
{
	size_t n;
	const json_t *a = list(o, FIGURES_TEMPORARY, 2, &n);
	int err = a ? 0 : -EINVAL;

	for (size_t i = 0; !err && i < n; i++) {
		uint64_t node = number(a, i * 2);
		struct pd_lifetime l = {.node = (uint32_t)node,
					.axis = PD_LIFE_TEMPORARY,
					.blocks = number(a, i * 2 + 1)};

		err = node < f->profile.n_nodes
			      ? lifecounts_add_bucket(&f->profile.lifetimes.counts, &l)
			      : -EINVAL;
	}
	return err;
}

static int read_threads(const json_t *o, struct figures *f)
{
	struct lifetimes *l = &f->profile.lifetimes;
	size_t n;
	const json_t *a = list(o, FIGURES_THREADS, 5, &n);

	if (!a)
		return -EINVAL;
	l->threads = calloc(n + 1, sizeof *l->threads);
	if (!l->threads)
		return -ENOMEM;
	for (size_t i = 0; i < n * 5; i += 5) {
		uint64_t task = number(a, i);

		if (task > INT32_MAX)
			return -EINVAL;
		l->threads[l->n_threads++] = (struct life_thread){
			.task = (int32_t)task,
			.did = {number(a, i + 1), number(a, i + 2), number(a, i + 3),
				number(a, i + 4)}};
	}
	return 0;
}

/* ---- the rest ---- */

static int read_files(const json_t *o, struct figures *f)
{
	const json_t *a = json_object_get(o, FIGURES_FILES);

	if (!json_is_array(a))
		return -EINVAL;
	f->files = calloc(json_array_size(a) + 1, sizeof *f->files);
	if (!f->files)
		return -ENOMEM;
	for (size_t i = 0; i < json_array_size(a); i++) {
		const json_t *file = json_array_get(a, i), *fd = json_array_get(file, 1);
		const char *path = json_string_value(json_array_get(file, 0));

		if (!path || !json_is_integer(fd))
			return -EINVAL;
		f->files[i] = (struct resolve_module){strdup(path), (int)json_integer_value(fd)};
		f->n_files = i + 1;
		if (!f->files[i].path)
			return -ENOMEM;
	}
	return 0;
}

static int read_head(const json_t *o, struct figures *f)
{
	size_t n, n_totals, n_rest;
	const json_t *head = list(o, FIGURES_HEAD, 1, &n),
		     *totals = list(o, FIGURES_TOTALS, 1, &n_totals),
		     *rest = list(o, FIGURES_REST, 1, &n_rest);

	if (json_integer_value(json_object_get(o, FIGURES_MARK)) != FIGURES_VERSION || !head ||
	    !totals || !rest || n != N_FIGURES_HEAD + 2 || n_totals != N_FIGURES_TOTALS ||
	    n_rest != 4)
		return -EINVAL;
	for (size_t i = 0; i < N_FIGURES_HEAD; i++)
		*figures_head_number(&f->head, i) = number(head, i);
	f->head.fast = number(head, N_FIGURES_HEAD);
	f->head.suspended = number(head, N_FIGURES_HEAD + 1);
	for (size_t i = 0; i < N_FIGURES_TOTALS; i++)
		*figures_total(&f->profile.totals, i) = number(totals, i);
	f->rest = (struct figures_rest){number(rest, 0), number(rest, 1), number(rest, 2),
					number(rest, 3)};
	return 0;
}

int figures_read(const json_t *text, struct figures *out)
{
	*out = (struct figures){.profile = {.finished = true}};
	int err = read_head(text, out);

	if (!err)
		err = read_files(text, out);
	if (!err)
		err = read_places(text, out);
	if (!err)
		err = read_nodes(text, out);
	if (!err)
		err = read_leaves(text, out);
	if (!err)
		err = read_temporary(text, out);
	if (!err)
		err = read_threads(text, out);
	if (!err && out->head.program != PD_NONE && out->head.program >= out->n_files)
		err = -EINVAL;
	if (err)
		figures_release(out);
	return err;
}

void figures_release(struct figures *f)
{
	for (size_t i = 0; i < f->n_files; i++)
		free((char *)(uintptr_t)f->files[i].path);
	free(f->files);
	free(f->profile.places);
	free(f->profile.nodes);
	free(f->profile.leaves);
	lifetimes_release(&f->profile.lifetimes);
	*f = (struct figures){0};
}
