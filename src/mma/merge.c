/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/merge.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static const struct mma_entry *head(const struct mma_merge *m, size_t log)
{
	return &m->logs[log].v[m->next[log]];
}

static bool before(const struct mma_merge *m, size_t a, size_t b)
{
	uint64_t ta = head(m, a)->time_ns, tb = head(m, b)->time_ns;

	return ta != tb ? ta < tb : a < b;
}

/* Restore the heap below @i, whose log may have a later entry now. */
static void sink(struct mma_merge *m, size_t i)
{
	for (;;) {
		size_t least = i, child = 2 * i + 1;

		for (size_t c = child; c < child + 2 && c < m->n; c++)
			if (before(m, m->heap[c], m->heap[least]))
				least = c;
		if (least == i)
			return;
		size_t log = m->heap[i];
		m->heap[i] = m->heap[least];
		m->heap[least] = log;
		i = least;
	}
}

int mma_merge_init(struct mma_merge *m, const struct mma_log *logs, size_t n)
{
	*m = (struct mma_merge){ .logs = logs,
				 .next = calloc(n + 1, sizeof *m->next),
				 .heap = calloc(n + 1, sizeof *m->heap) };
	if (!m->next || !m->heap)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (logs[i].n)
			m->heap[m->n++] = i;
	for (size_t i = m->n; i-- > 0;)
		sink(m, i);
	return 0;
}

void mma_merge_release(struct mma_merge *m)
{
	free(m->next);
	free(m->heap);
	*m = (struct mma_merge){ 0 };
}

const struct mma_entry *mma_merge_next(struct mma_merge *m, size_t *log)
{
	if (!m->n)
		return NULL;
	*log = m->heap[0];
	const struct mma_entry *e = head(m, *log);

	if (++m->next[*log] == m->logs[*log].n)
		m->heap[0] = m->heap[--m->n];
	if (m->n > 1)
		sink(m, 0);
	return e;
}

bool mma_merge_was_last(const struct mma_merge *m, size_t log)
{
	return m->next[log] == m->logs[log].n;
}

/* ---- statistics ---- */

/* How many entries ahead a block's slot in a large table is prefetched: about the latency of
 * memory. */
enum { AHEAD = 12 };

static void expect_block(const struct mma_entry *e, const struct mma_space *space)
{
	mma_blocks_expect(&space->blocks, e->ptr);
	if (e->type == MMA_REALLOC)
		mma_blocks_expect(&space->blocks, e->old_ptr);
}

static int add_all(struct mma_stats *s, struct mma_merge *m, struct mma_space *spaces)
{
	const struct mma_entry *e;
	size_t log;

	while ((e = mma_merge_next(m, &log))) {
		if (m->next[log] + AHEAD < m->logs[log].n)
			expect_block(e + AHEAD, &spaces[log]);
		int err = mma_stats_add(s, &spaces[log], e);

		if (err)
			return err;
		if (mma_merge_was_last(m, log))
			mma_stats_end_space(s, &spaces[log]);
	}
	return 0;
}

int mma_stats_of_logs(struct mma_stats *s, const struct mma_log *logs, size_t n)
{
	struct mma_space *spaces = calloc(n + 1, sizeof *spaces);
	struct mma_merge m;
	int err = mma_merge_init(&m, logs, n);

	if (!spaces)
		err = -ENOMEM;
	if (!err)
		err = add_all(s, &m, spaces);
	mma_merge_release(&m);
	for (size_t i = 0; spaces && i < n; i++)
		mma_space_release(&spaces[i]);
	free(spaces);
	return err;
}

static int add_batch(struct mma_stats *s, struct mma_space *space, const struct mma_entry *v,
		     size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		if (i + AHEAD < n)
			expect_block(&v[i + AHEAD], space);
		err = v[i].time_ns < s->last_ns ? -EAGAIN : mma_stats_add(s, space, &v[i]);
	}
	return err;
}

static int add_source(struct mma_stats *s, struct mma_source *log, struct mma_reader *r,
		      struct mma_space *space, struct error *e)
{
	struct mma_entry batch[MMA_BATCH];
	bool counted = true;
	ssize_t n;

	/* Syntax errors take precedence, so read on to the end in any case. */
	while ((n = mma_reader_next(r, log, batch, MMA_BATCH, e)) > 0)
		counted = counted && !add_batch(s, space, batch, (size_t)n);
	return n ? (int)n : counted ? 0 : -EAGAIN;
}

int mma_stats_of_source(struct mma_stats *s, struct mma_source *log, struct mma_log *tail,
			struct error *e)
{
	struct mma_reader r = { 0 };
	struct mma_space space = { 0 };
	int err = add_source(s, log, &r, &space, e);

	tail->lines = r.lines;
	tail->truncated = r.truncated;
	mma_reader_release(&r);
	mma_space_release(&space);
	return err;
}
