/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/threads.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the thread had done until the previous look. Threads keep their index; new ones are
 * appended. */
static struct thread_counts had_done(const struct top_look *before, size_t i, int32_t task)
{
	if (i < before->n_by_thread && before->by_thread[i].task == task)
		return before->by_thread[i].did;
	return (struct thread_counts){0};
}

static void compare_with(struct top_row *r, const struct thread_counts *was, double seconds)
{
	r->growth = (int64_t)(r->alloc_bytes - was->alloc_bytes);
	r->allocs_per_s = (double)(r->allocs - was->allocs) / seconds;
	r->frees_per_s = (double)(r->frees - was->frees) / seconds;
}

static void add_to(struct top_row *sum, const struct top_row *r)
{
	sum->allocs += r->allocs;
	sum->alloc_bytes += r->alloc_bytes;
	sum->frees += r->frees;
	sum->free_bytes += r->free_bytes;
	sum->growth += r->growth;
	sum->allocs_per_s += r->allocs_per_s;
	sum->frees_per_s += r->frees_per_s;
}

/* The rows are those of the threads, in the same order. */
static int share_ended(const struct top_look *now, struct top_rows *rows)
{
	struct top_row sum = {.node = PD_NONE};
	size_t kept = 0, n = rows->n;

	for (size_t i = 0; i < n; i++) {
		if (!now->by_thread[i].ended) {
			rows->v[kept++] = rows->v[i];
			continue;
		}
		add_to(&sum, &rows->v[i]);
		free(rows->v[i].name);
	}
	rows->n = kept;
	if (kept == n)
		return 0;
	if (asprintf(&sum.name, "(%zu that %s ended)", n - kept, n - kept == 1 ? "has" : "have") <
	    0)
		return -ENOMEM;
	rows->v[rows->n++] = sum;
	return 0;
}

int top_thread_rows(const struct top_look *now, const struct top_look *before,
		    const struct top_how *how, struct top_rows *out)
{
	const bool filtered = how->filter && *how->filter;

	double seconds = before ? (double)(now->head.time_ns - before->head.time_ns) / 1e9 : 0;

	*out = (struct top_rows){.v = calloc(now->n_by_thread + 1, sizeof *out->v)};
	if (!out->v)
		return -ENOMEM;
	out->cap = now->n_by_thread + 1;
	for (size_t i = 0; i < now->n_by_thread; i++) {
		const struct top_thread *t = &now->by_thread[i];
		struct top_row *r = &out->v[out->n];

		*r = (struct top_row){.name = strdup(t->name),
				      .size = (uint64_t)t->task,
				      .allocs = t->did.allocs,
				      .alloc_bytes = t->did.alloc_bytes,
				      .frees = t->did.frees,
				      .free_bytes = t->did.free_bytes,
				      .node = PD_NONE};
		if (!r->name)
			return -ENOMEM;
		out->n++;
		if (before) {
			const struct thread_counts was = had_done(before, i, t->task);

			compare_with(r, &was, seconds);
		}
	}
	/* When the process has ended, its last figures stay as they are. */
	return how->no_zeros && !filtered && now->threads ? share_ended(now, out) : 0;
}
