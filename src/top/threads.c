/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the thread had done by then. A thread keeps its place among them, and others come behind
 * it. */
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

int top_thread_rows(const struct top_look *now, const struct top_look *before, struct top_rows *out)
{
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
	return 0;
}
