/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/series.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void series_init(struct series *s, unsigned max)
{
	*s = (struct series){
		.max = max, .due_ns = max ? 0 : UINT64_MAX, .spike_bytes = UINT64_MAX};
}

void series_release(struct series *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->points[i].shares);
	free(s->points);
	chain_ends_release(&s->ends);
	series_init(s, s->max);
}

size_t series_used(const struct series *s)
{
	size_t used = s->n * sizeof *s->points + (s->ends.n_of + s->ends.n) * sizeof *s->ends.of +
		      idindex_memory(&s->ends.index);

	for (size_t i = 0; i < s->n; i++)
		used += s->points[i].n * sizeof *s->points[i].shares;
	return used;
}

void series_restart(struct series *s)
{
	series_release(s);
}

/* ---- when ---- */

bool series_affords(struct series *s, uint64_t now_ns, size_t nodes)
{
	uint64_t cost = nodes * SERIES_NODE_NS, wanted = s->spent_ns + cost;
	uint64_t passed = now_ns - s->begin_ns;

	if (!s->n) {
		s->begin_ns = now_ns;
		passed = 0;
	}
	if (wanted > SERIES_FREE_NS + passed / SERIES_PART) {
		s->due_ns = s->begin_ns + (wanted - SERIES_FREE_NS) * SERIES_PART;
		return !s->n;
	}
	return true;
}

bool series_affords_spike(const struct series *s, uint64_t now_ns, size_t nodes)
{
	uint64_t wanted = s->spent_ns + nodes * SERIES_NODE_NS;

	return wanted <= (SERIES_FREE_NS + (now_ns - s->begin_ns) / SERIES_PART) / 2;
}

/* ---- which ---- */

/* For each point the neighbours that have not been dropped. */
struct neighbours {
	size_t before[SERIES_POINTS], behind[SERIES_POINTS];
};

static size_t least_needed(const uint64_t *times, const uint64_t *live, size_t n,
			   const struct neighbours *left)
{
	uint64_t smallest = 0;
	size_t best = 0;

	for (size_t i = left->behind[0]; i + 1 < n; i = left->behind[i]) {
		size_t before = left->before[i], behind = left->behind[i];
		uint64_t span = times[behind] - times[before];

		if ((best && span >= smallest) ||
		    (live[i] > live[before] && live[i] > live[behind]))
			continue;
		best = i;
		smallest = span;
	}
	return best;
}

void series_thin(const uint64_t *times, const uint64_t *live, size_t n, size_t drop, bool *gone)
{
	struct neighbours left;

	for (size_t i = 0; i < n; i++) {
		left.before[i] = i - 1;
		left.behind[i] = i + 1;
		gone[i] = false;
	}
	for (; n && drop; drop--) {
		size_t i = least_needed(times, live, n, &left);

		if (!i)
			return;
		gone[i] = true;
		left.behind[left.before[i]] = left.behind[i];
		left.before[left.behind[i]] = left.before[i];
	}
}

/* Of neighbours that are no spikes, which may come at any time. */
static uint64_t smallest_interval(const struct series *s)
{
	uint64_t smallest = UINT64_MAX;

	for (size_t i = 1; i < s->n; i++) {
		const struct series_point *p = &s->points[i];

		if (!p->spike && !p[-1].spike && p->time_ns - p[-1].time_ns < smallest)
			smallest = p->time_ns - p[-1].time_ns;
	}
	if (smallest < UINT64_MAX || !s->n)
		return smallest;
	return (s->points[s->n - 1].time_ns - s->points[0].time_ns) / s->n;
}

static void halve(struct series *s)
{
	uint64_t times[SERIES_POINTS] = {0}, live[SERIES_POINTS] = {0};
	bool gone[SERIES_POINTS] = {false};
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		times[i] = s->points[i].time_ns;
		live[i] = s->points[i].live_bytes;
	}
	series_thin(times, live, s->n, s->n / 2, gone);
	for (size_t i = 0; i < s->n; i++)
		if (gone[i])
			free(s->points[i].shares);
		else
			s->points[kept++] = s->points[i];
	s->n = kept;
	s->interval_ns = smallest_interval(s);
}

/* Is the last point replaced by @point, a spike? If it is a lower spike, or was at the same
 * time. */
static bool takes_place(const struct series *s, const struct series_point *point)
{
	if (!s->n)
		return false;
	const struct series_point *last = &s->points[s->n - 1];

	return point->spike && (last->spike || last->time_ns == point->time_ns);
}

int series_add(struct series *s, const struct series_point *point)
{
	/* Two are reserved for the peak and the end. */
	size_t max = s->max - 2, size = point->n * sizeof *point->shares;
	struct series_share *shares = size ? malloc(size) : NULL;

	if ((size && !shares) || ARRAY_RESERVE(&s->points, &s->cap, s->n)) {
		free(shares);
		return -ENOMEM;
	}
	if (size)
		memcpy(shares, point->shares, size);
	if (takes_place(s, point))
		free(s->points[--s->n].shares);
	s->points[s->n] = *point;
	s->points[s->n++].shares = shares;
	if (s->n > max)
		halve(s);
	s->spike_bytes = point->live_bytes + point->live_bytes / SERIES_SPIKE_PART + 1;
	/* At least 1 ns, as several events may have the same time. */
	if (!point->spike)
		s->due_ns = point->time_ns + (s->interval_ns ? s->interval_ns : 1);
	return 0;
}

/* ---- of whom ---- */

unsigned series_heaviest(const uint64_t *sums, size_t n, struct series_share *shares)
{
	unsigned kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t bytes = sums[i];
		unsigned at = kept;

		if (!bytes || (kept == SERIES_SHARES && bytes <= shares[kept - 1].bytes))
			continue;
		if (kept < SERIES_SHARES)
			kept++;
		else
			at--;
		for (; at && shares[at - 1].bytes < bytes; at--)
			shares[at] = shares[at - 1];
		shares[at] = (struct series_share){bytes, (uint32_t)i};
	}
	return kept;
}
