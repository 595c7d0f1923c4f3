/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/lost_paths.h"

#include "profile/pd_names.h"
#include "profile/own_code.h"

#include <errno.h>
#include <stdlib.h>

void lost_paths_release(struct lost_paths *p)
{
	leaks_release(&p->leaks);
	free(p->v);
	*p = (struct lost_paths){0};
}

static int by_bytes(const void *left, const void *right)
{
	const struct lost_path *a = left, *b = right;
	uint64_t n = a->blocks.bytes + a->through.bytes, m = b->blocks.bytes + b->through.bytes;

	if (n != m)
		return n > m ? -1 : 1;
	return a->path < b->path ? -1 : a->path > b->path;
}

/* By node: the index of the path that ends there, or PD_NONE; for free(). NULL: out of memory. */
static uint32_t *rows_of_nodes(const struct profile_data *d, const struct leaks *l)
{
	uint32_t *rows = calloc(d->n_nodes, sizeof *rows);
	uint32_t *row_of_id = calloc(l->n_ends + 1, sizeof *row_of_id);

	for (size_t i = 0; rows && row_of_id && i < d->n_nodes; i++)
		rows[i] = PD_NONE;
	for (size_t i = 0; row_of_id && i <= l->n_ends; i++)
		row_of_id[i] = PD_NONE;
	/* Each path has at least one end, so n_ends is enough. */
	for (size_t i = 0; row_of_id && i < l->n; i++)
		row_of_id[l->items[i].id] = (uint32_t)i;
	for (size_t i = 0; rows && row_of_id && i < l->n_ends; i++)
		rows[l->ends[i].node] = row_of_id[l->ends[i].path];
	if (!row_of_id) {
		free(rows);
		rows = NULL;
	}
	free(row_of_id);
	return rows;
}

static void add(struct lost_path *row, uint64_t usable, struct heap_sum through, uint64_t age_ns)
{
	row->blocks.n++;
	row->blocks.bytes += usable;
	row->through.n += through.n;
	row->through.bytes += through.bytes;
	if (row->oldest_ns < age_ns)
		row->oldest_ns = age_ns;
}

/* The place to begin reading at. It is the same for all nodes of a path. */
static void place(struct lost_path *row, const struct profile_data *d, const uint32_t *own,
		  uint32_t node)
{
	row->own = own[node] != PD_NONE;
	row->site = d->nodes[row->own ? own[node] : node].site;
}

static void fill(const struct lost_requests *q, const struct reach *r, const struct spans *blocks,
		 const uint32_t *rows, const uint32_t *own, struct lost_paths *out)
{
	for (size_t i = 0; i < r->n_lost; i++) {
		uint32_t node = q->v[i].node, row = node == PD_NONE ? PD_NONE : rows[node];
		uint64_t usable;

		if (row == PD_NONE)
			continue;
		spans_at(blocks, r->lost[i].block, &usable);
		if (!out->v[row].blocks.n)
			place(&out->v[row], q->d, own, node);
		add(&out->v[row], usable, r->lost[i].through, q->v[i].age_ns);
	}
	for (size_t i = 0; i < out->leaks.n; i++) {
		if (!out->v[i].blocks.n)
			continue;
		out->v[out->n] = out->v[i];
		out->v[out->n++].path = &out->leaks.items[i];
	}
	qsort(out->v, out->n, sizeof *out->v, by_bytes);
}

int lost_paths_collect(const struct lost_requests *q, const struct reach *r,
		       const struct spans *blocks, enum leaks_key key, struct lost_paths *out)
{
	/* Paths of five functions, and as many more as are needed to reach the program's own
	 * code. */
	const struct leaks_wanted wanted = {key, REPORT_VERBOSE, 0, NULL};

	uint32_t *rank = names_ranks(q->d);

	*out = (struct lost_paths){0};
	int err = rank ? leaks_collect(q->d, rank, &wanted, &out->leaks) : -ENOMEM;

	free(rank);
	if (err)
		return err;
	uint32_t *rows = rows_of_nodes(q->d, &out->leaks), *own = own_code_nodes(q->d, NULL);

	out->v = calloc(out->leaks.n + 1, sizeof *out->v);
	if (rows && own && out->v)
		fill(q, r, blocks, rows, own, out);
	else
		err = -ENOMEM;
	free(rows);
	free(own);
	return err;
}
