/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/trend.h"

#include "base/saturate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer than one in two hundred series without a trend exceed this. */
#define Z_TREND	   2.58
#define NS_AN_HOUR 3600e9

/* What is judged: the series of blocks, or that of bytes. */
struct floors {
	const uint64_t *low, *high;
	uint32_t n;
	double peak, noise, level; /* level: the floor in the middle */
	double z, z_end;	   /* of the second half, of the last quarter */
	double gain1, gain2;	   /* of the first half, of the second */
	double gain3, gain4;	   /* of the third quarter, of the last */
};

const char *trend_word(enum trend_name name)
{
	static const char *const words[TREND_NAMES] = {
		[TREND_TOO_EARLY] = "too early", [TREND_BRIEF] = "brief",
		[TREND_STEADY] = "steady",	 [TREND_ONCE] = "once",
		[TREND_CACHED] = "cached",	 [TREND_GROWS] = "grows",
	};

	return words[name];
}

void trend_add_windows(struct trend_series *s, const struct pd_window *rows, size_t n)
{
	struct pd_window now = {0};
	size_t at = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		if (at < n && rows[at].i == i) {
			now = rows[at++];
			s->births[i] += now.births;
		}
		saturate_add(&s->low[i], now.low);
		saturate_add(&s->high[i], now.high);
		saturate_add(&s->low_bytes[i], now.low_bytes);
		saturate_add(&s->high_bytes[i], now.high_bytes);
	}
}

/* ---- statistics ---- */

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The upper one if there are two. @v is sorted afterwards. */
static double median(double *v, size_t n)
{
	qsort(v, n, sizeof *v, compare_numbers);
	return n ? v[n / 2] : 0;
}

static double median_of(const uint64_t *v, uint32_t n)
{
	double copy[WINDOWS_MAX];

	for (uint32_t i = 0; i < n; i++)
		copy[i] = (double)v[i];
	return median(copy, n);
}

/* Mann and Kendall's test: how surely x goes up, in standard deviations. */
static double mann_kendall(const uint64_t *x, uint32_t n)
{
	double s = 0, var = (double)n * (n - 1) * (2 * n + 5);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = i + 1; j < n; j++)
			s += (x[j] > x[i]) - (x[j] < x[i]);
	for (uint32_t i = 0; i < n; i++) {
		double ties = 0;
		bool first = true;

		for (uint32_t j = 0; j < n; j++) {
			ties += x[j] == x[i];
			first &= j >= i || x[j] != x[i];
		}
		var -= first ? ties * (ties - 1) * (2 * ties + 5) : 0;
	}
	return var > 0 ? (s - (s > 0) + (s < 0)) / sqrt(var / 18) : 0;
}

/* The median of the slopes between any two values, per window. Source: Sen (1968). */
static double slope(const uint64_t *x, uint32_t n)
{
	double v[WINDOWS_MAX / 2 * (WINDOWS_MAX / 2 + 1)];
	size_t k = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = i + 1; j < n; j++)
			v[k++] = ((double)x[j] - (double)x[i]) / (j - i);
	return median(v, k);
}

static double sum(const uint64_t *v, uint32_t from, uint32_t to)
{
	double all = 0;

	for (uint32_t i = from; i < to; i++)
		all += (double)v[i];
	return all;
}

static double highest(const uint64_t *v, uint32_t from, uint32_t to)
{
	uint64_t most = 0;

	for (uint32_t i = from; i < to; i++)
		most = v[i] > most ? v[i] : most;
	return (double)most;
}

static double lowest(const uint64_t *v, uint32_t from, uint32_t to)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = from; i < to; i++)
		least = v[i] < least ? v[i] : least;
	return (double)least;
}

/* ---- the rule ---- */

static struct floors look_at(const uint64_t *low, const uint64_t *high, uint32_t n)
{
	struct floors f = {.low = low, .high = high, .n = n, .peak = highest(high, 0, n)};
	uint32_t half = n / 2, last = 3 * n / 4;
	double steps[WINDOWS_MAX], end = median_of(low + n - 3, 3);
	double third = median_of(low + last, 3);

	for (uint32_t i = half; i + 1 < n; i++)
		steps[i - half] = fabs((double)low[i + 1] - (double)low[i]);
	f.noise = median(steps, n - half - 1);
	f.level = median_of(low + half, 3);
	f.z = mann_kendall(low + half, n - half);
	f.z_end = mann_kendall(low + last, n - last);
	f.gain1 = f.level - (double)low[0];
	f.gain2 = end - f.level;
	f.gain3 = third - f.level;
	f.gain4 = end - third;
	return f;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

/* A hard bound: the number hardly changes, although blocks come and go. */
static bool is_capped(const struct floors *f, double live, double slack)
{
	uint32_t third = 2 * f->n / 3;
	double span = highest(f->high, third, f->n) - lowest(f->low, third, f->n);

	return span <= slack && span <= live / 20;
}

/* Growth that comes to an end. */
static bool is_ending(const struct floors *f)
{
	return f->gain1 > 0 && f->gain2 < 0.12 * f->gain1 && f->gain4 <= 0.35 * most(f->gain3, 1);
}

/* By quarters of the time; without the first window, whose blocks were allocated at once. */
struct quarters {
	double births[4], survivors[4], share[4];
	bool stay; /* so many survive of each that they are not just waiting to be freed */
};

static struct quarters quarters_of(const struct trend_series *s)
{
	struct quarters q = {0};
	uint32_t quarter = s->n / 4;

	for (uint32_t i = 0; i < 4; i++) {
		uint32_t from = i ? i * quarter : 1, to = (i + 1) * quarter;

		q.births[i] = sum(s->births, from, to);
		q.survivors[i] = sum(s->survivors, from, to);
		q.share[i] = q.births[i] ? q.survivors[i] / q.births[i] : 0;
	}
	q.stay = q.survivors[0] >= 3 && q.survivors[1] >= 3 && q.survivors[2] >= 3 &&
		 q.survivors[0] + q.survivors[1] + q.survivors[2] >= 12 &&
		 q.share[0] >= 0.6 * q.share[1] && q.share[1] >= 0.6 * q.share[2] &&
		 q.births[3] > 0;
	return q;
}

static bool is_once(const struct trend_series *s)
{
	double all = sum(s->births, 0, s->n);

	return sum(s->births, s->n / 4, s->n) <= all / 100 && (double)s->live >= all / 2;
}

/* No block has been freed: it is no cache, and there is no noise that could look like growth, nor
 * anything that could be called steady. */
static bool has_only_births(const struct trend_series *s)
{
	return sum(s->births, 0, s->n) <= (double)s->live;
}

static bool was_born_early(const struct trend_series *s, const struct floors *f)
{
	uint32_t quarter = s->n / 4;

	return s->live >= 8 && sum(s->survivors, 0, s->n / 2) >= (double)s->live / 4 &&
	       median_of(s->low + s->n - quarter, quarter) > f->peak / 2;
}

static enum trend_name judge_blocks(const struct trend_series *s, const struct floors *f)
{
	struct quarters q = quarters_of(s);
	double live = (double)s->live;
	double due = q.share[1] * sum(s->births, s->n / 2, s->n);
	bool capped = s->live >= 8 && is_capped(f, live, most(2, sqrt(live) / 2));
	double chance = has_only_births(s) ? 0 : most(2 * f->noise, 2.5 * sqrt(f->level));
	double enough = most(chance, most(f->peak / 50, 3));

	if (is_once(s))
		return TREND_ONCE;
	if (f->z > Z_TREND && f->gain2 >= enough && !capped) {
		if (is_ending(f))
			return TREND_CACHED;
		/* It rises to the level at which as many are freed as allocated. */
		if (!q.stay && q.survivors[0] <= live / 20 && f->gain4 < f->gain3 / 2 &&
		    f->z_end <= Z_TREND)
			return TREND_STEADY;
		return TREND_GROWS;
	}
	if (capped)
		return TREND_CACHED;
	/* A small share of the blocks stays. */
	if (q.stay && (f->gain2 >= 0.4 * due || due < 2 * f->noise))
		return TREND_GROWS;
	return was_born_early(s, f) ? TREND_CACHED : TREND_STEADY;
}

/* Blocks that are enlarged again and again: the bytes gain more than twice of what the changing
 * number of blocks explains. */
static bool grows_in_bytes(const struct trend_series *s, const struct floors *blocks,
			   const struct floors *f)
{
	uint32_t half = s->n / 2;
	double size = f->level / most(blocks->level, 1);
	double explained = size * (highest(s->low, half, s->n) - lowest(s->low, half, s->n));
	double enough = most(most(2 * f->noise, f->peak / 10), 2 * explained);

	return f->z > Z_TREND && f->gain2 > enough && !is_ending(f) &&
	       !is_capped(f, (double)s->live_bytes, (double)s->live_bytes / 20);
}

/* The last window whose floor is at most a tenth of the gain above the lowest floor. */
static uint32_t growing_since(const struct floors *f)
{
	double least = lowest(f->low, 0, f->n);
	double bar = least + (median_of(f->low + f->n - 3, 3) - least) / 10;
	uint32_t since = 0;

	for (uint32_t i = 0; i < f->n; i++)
		if ((double)f->low[i] <= bar)
			since = i;
	return since <= f->n / 8 ? 0 : since;
}

static double share_that_stays(const struct trend_series *s)
{
	uint32_t end = 3 * s->n / 4;
	double births = sum(s->births, 0, end);

	return births ? fmin(1, sum(s->survivors, 0, end) / births) : 0;
}

struct trend_verdict trend_judge(const struct trend_series *s)
{
	struct trend_verdict v = {.name = TREND_TOO_EARLY};
	uint32_t half = s->n / 2;

	if (s->n < TREND_WINDOWS || s->n > WINDOWS_MAX || sum(s->births, 0, s->n) < WINDOWS_FEW)
		return v;
	struct floors blocks = look_at(s->low, s->high, s->n);
	struct floors bytes = look_at(s->low_bytes, s->high_bytes, s->n);
	double windows_an_hour = s->window_ns ? NS_AN_HOUR / (double)s->window_ns : 0;

	v.name = judge_blocks(s, &blocks);
	v.by_bytes =
		v.name != TREND_GROWS && v.name != TREND_ONCE && grows_in_bytes(s, &blocks, &bytes);
	v.name = v.by_bytes ? TREND_GROWS : v.name;
	if (v.name == TREND_STEADY && has_only_births(s))
		v.name = TREND_TOO_EARLY;
	if (v.name == TREND_STEADY && median_of(s->low, s->n) == 0)
		v.name = TREND_BRIEF;
	v.z = v.by_bytes ? bytes.z : blocks.z;
	v.gain = blocks.gain2;
	v.stays = share_that_stays(s);
	v.blocks_hour = slope(s->low + half, s->n - half) * windows_an_hour;
	v.bytes_hour = slope(s->low_bytes + half, s->n - half) * windows_an_hour;
	v.level = (uint64_t)median_of(s->high + s->n - s->n / 4, s->n / 4);
	v.since = v.name == TREND_GROWS ? growing_since(v.by_bytes ? &bytes : &blocks) : 0;
	return v;
}
