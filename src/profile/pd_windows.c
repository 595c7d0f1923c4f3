/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/pd_windows.h"

#include "base/search.h"

#include <stdlib.h>

struct trend_series pd_windows_series(const struct profile_data *d)
{
	return (struct trend_series){.n = d->windows_over, .window_ns = d->window_ns};
}

/* ---- of one node ---- */

bool pd_windows_add(const struct profile_data *d, uint32_t node, struct trend_series *s)
{
	size_t first = SEARCH_FIRST(d->n_windows, i, d->windows[i].node >= node), end = first;
	size_t survivor = SEARCH_FIRST(d->n_survivors, i, d->survivors[i].node >= node);

	while (end < d->n_windows && d->windows[end].node == node)
		end++;
	if (end > first)
		trend_add_windows(s, d->windows + first, end - first);
	for (size_t i = survivor; i < d->n_survivors; i++) {
		if (d->survivors[i].node != node || d->survivors[i].i >= s->n)
			break;
		s->survivors[d->survivors[i].i] += d->survivors[i].blocks;
	}
	return end > first;
}

/* ---- nodes that are merged ---- */

static int by_new_node(const void *x, const void *y, void *ctx)
{
	const struct pd_window *a = x, *b = y;
	const uint32_t *to = ctx;

	if (to[a->node] != to[b->node])
		return to[a->node] < to[b->node] ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

/* Adds up the windows @v[0...n), sorted, of nodes that become @node. Returns how many are left. */
static size_t add_up(struct pd_window *v, size_t n, uint32_t windows_over, uint32_t node)
{
	struct trend_series s = {.n = windows_over};
	bool there[WINDOWS_MAX] = {false};
	size_t kept = 0;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && v[end].node == v[i].node; end++)
			there[v[end].i] = true;
		trend_add_windows(&s, v + i, end - i);
	}
	for (uint32_t i = 0; i < windows_over; i++)
		if (there[i])
			v[kept++] = (struct pd_window){node,	       i,	  s.births[i],
						       s.low[i],       s.high[i], s.low_bytes[i],
						       s.high_bytes[i]};
	return kept;
}

static void move_windows(struct profile_data *d, const uint32_t *to)
{
	size_t kept = 0;

	if (d->n_windows)
		qsort_r(d->windows, d->n_windows, sizeof *d->windows, by_new_node,
			(void *)(uintptr_t)to);
	for (size_t i = 0, end; i < d->n_windows; i = end) {
		uint32_t node = to[d->windows[i].node];
		bool one = true;

		for (end = i; end < d->n_windows && to[d->windows[end].node] == node; end++)
			one &= d->windows[end].node == d->windows[i].node;
		if (node == PD_NONE)
			continue;
		size_t n = one ? end - i : add_up(d->windows + i, end - i, d->windows_over, node);

		for (size_t k = 0; k < n; k++) {
			d->windows[kept] = d->windows[i + k];
			d->windows[kept++].node = node;
		}
	}
	d->n_windows = kept;
}

static int compare_survivors(const void *x, const void *y)
{
	const struct pd_survivor *a = x, *b = y;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

static void move_survivors(struct profile_data *d, const uint32_t *to)
{
	struct pd_survivor *v = d->survivors;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < d->n_survivors; i++) {
		v[n] = v[i];
		v[n].node = to[v[i].node];
		n += v[n].node != PD_NONE;
	}
	if (n)
		qsort(v, n, sizeof *v, compare_survivors);
	for (size_t i = 0; i < n; i++) {
		if (kept && !compare_survivors(&v[kept - 1], &v[i])) {
			v[kept - 1].blocks += v[i].blocks;
			v[kept - 1].bytes += v[i].bytes;
		} else {
			v[kept++] = v[i];
		}
	}
	d->n_survivors = kept;
}

void pd_windows_move(struct profile_data *d, const uint32_t *to)
{
	move_windows(d, to);
	move_survivors(d, to);
}
