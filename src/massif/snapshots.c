/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/snapshots.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void massif_table_init(struct massif_table *t, const struct massif_rules *rules)
{
	*t = (struct massif_table){ .rules = *rules };
}

void massif_table_clear(struct massif_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->snapshots[i].detail);
	*t = (struct massif_table){ .rules = t->rules, .snapshots = t->snapshots, .cap = t->cap };
}

void massif_table_release(struct massif_table *t)
{
	massif_table_clear(t);
	free(t->snapshots);
	t->snapshots = NULL;
	t->cap = 0;
}

static struct massif_detail *copy_detail(const struct massif_detail *from)
{
	size_t size = sizeof *from + from->n * sizeof *from->shares;
	struct massif_detail *copy = malloc(size);

	return copy ? memcpy(copy, from, size) : NULL;
}

int massif_table_copy(struct massif_table *to, const struct massif_table *from)
{
	struct massif_snapshot *own = calloc(from->n + 1, sizeof *own);

	*to = *from;
	to->snapshots = own;
	to->n = to->cap = 0;
	if (!own)
		return -ENOMEM;
	to->cap = from->n + 1;
	for (; to->n < from->n; to->n++) {
		own[to->n] = from->snapshots[to->n];
		if (own[to->n].detail && !(own[to->n].detail = copy_detail(own[to->n].detail)))
			return -ENOMEM;
	}
	return 0;
}

enum massif_attempt massif_ordinary_attempt(const struct massif_table *t, uint64_t time)
{
	if (time < t->next_time)
		return MASSIF_NOTHING;
	return t->plain + 1 == t->rules.detailed_freq ? MASSIF_DETAILED : MASSIF_PLAIN;
}

enum massif_attempt massif_peak_attempt(const struct massif_table *t, uint64_t total)
{
	double excess = (double)t->recorded_peak * t->rules.peak_inaccuracy / 100;

	/* A threshold that does not fit into 64 bits cannot be exceeded. */
	if (excess >= 0x1p63 || total <= t->recorded_peak + (uint64_t)excess)
		return MASSIF_NOTHING;
	return MASSIF_PEAK;
}

/* ---- halving ---- */

static bool is_maximum(const struct massif_table *t, size_t i)
{
	const struct massif_snapshot *s = t->snapshots;

	return s[i].at.useful > s[i - 1].at.useful && s[i].at.useful > s[i + 1].at.useful;
}

static bool is_removable(const struct massif_table *t, size_t i)
{
	return i > 0 && i + 1 < t->n && !t->snapshots[i].peak &&
	       !(t->rules.keep_maxima && is_maximum(t, i));
}

/* The removable snapshot whose neighbours are closest together, the earliest if several; 0: there
 * is none. */
static size_t least_needed(const struct massif_table *t)
{
	uint64_t smallest = 0;
	size_t best = 0;

	for (size_t i = 1; i + 1 < t->n; i++) {
		uint64_t span = t->snapshots[i + 1].at.time - t->snapshots[i - 1].at.time;

		if (!is_removable(t, i) || (best && span >= smallest))
			continue;
		best = i;
		smallest = span;
	}
	return best;
}

static void remove_one(struct massif_table *t, size_t i)
{
	free(t->snapshots[i].detail);
	t->n--;
	memmove(&t->snapshots[i], &t->snapshots[i + 1], (t->n - i) * sizeof *t->snapshots);
}

/* True if the interval before a snapshot counts for the smallest interval. With keep_maxima, those
 * next to a maximum do not, since a maximum may come at any time. */
static bool counts(const struct massif_table *t, size_t i)
{
	bool left = is_removable(t, i - 1), right = is_removable(t, i);

	return t->rules.keep_maxima ? (left || i == 1) && (right || i + 1 == t->n) : left || right;
}

static uint64_t smallest_interval(const struct massif_table *t)
{
	uint64_t smallest = UINT64_MAX;

	for (size_t i = 1; i < t->n; i++) {
		uint64_t between = t->snapshots[i].at.time - t->snapshots[i - 1].at.time;

		if (counts(t, i) && between < smallest)
			smallest = between;
	}
	if (smallest == UINT64_MAX && t->rules.keep_maxima && t->n)
		return (t->snapshots[t->n - 1].at.time - t->snapshots[0].at.time) / t->n;
	return smallest == UINT64_MAX ? t->interval : smallest;
}

static void halve(struct massif_table *t)
{
	for (unsigned i = t->rules.max_snapshots / 2; i > 0; i--) {
		size_t one = least_needed(t);

		if (!one)
			break;
		remove_one(t, one);
	}
	t->interval = smallest_interval(t);
}

int massif_take(struct massif_table *t, enum massif_attempt kind, const struct massif_numbers *at,
		struct massif_detail *detail)
{
	if (ARRAY_RESERVE(&t->snapshots, &t->cap, t->n)) {
		free(detail);
		return -ENOMEM;
	}
	if (kind == MASSIF_PEAK) {
		for (size_t i = 0; i < t->n; i++)
			t->snapshots[i].peak = false;
		t->recorded_peak = massif_total(at);
	}
	t->plain = kind == MASSIF_PLAIN ? t->plain + 1 : 0;
	t->snapshots[t->n++] = (struct massif_snapshot){ *at, detail, kind == MASSIF_PEAK };
	t->high = *at;
	if (t->n == t->rules.max_snapshots)
		halve(t);
	t->next_time = at->time + t->interval;
	return 0;
}

/* ---- maxima ---- */

const struct massif_numbers *massif_left_out(const struct massif_table *t)
{
	return t->n && t->high.useful > t->snapshots[t->n - 1].at.useful ? &t->high : NULL;
}

int massif_pass(struct massif_table *t, const struct massif_numbers *at)
{
	struct massif_numbers high;

	if (at->useful > t->high.useful)
		t->high = *at;
	if (t->n && at->time == t->snapshots[t->n - 1].at.time) {
		struct massif_snapshot *last = &t->snapshots[t->n - 1];

		/* Of several events at one time, keep the highest. */
		if (t->n > 1 && !last->peak && massif_left_out(t))
			last->at = t->high;
		return 0;
	}
	enum massif_attempt kind = massif_ordinary_attempt(t, at->time);
	if (kind == MASSIF_NOTHING)
		return 0;
	high = t->high;
	bool missed = massif_left_out(t) && high.useful > at->useful;
	int err = massif_take(t, kind, missed ? &high : at, NULL);
	if (!err)
		t->high = *at;
	return err;
}
