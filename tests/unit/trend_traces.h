/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces of blocks that come and go, made from a seed: 18 kinds of call sites whose verdict is
 * known by construction. Time goes from 0 to 1.
 */
#ifndef MPROF_TESTS_TREND_TRACES_H
#define MPROF_TESTS_TREND_TRACES_H

#include "profile/trend.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct trace_event {
	double t, born;
	int change; /* +1: born; -1: it goes */
};

struct trace {
	struct trace_event *v;
	size_t n, cap;
	uint64_t state; /* of the random numbers */
};

/* ---- random numbers ---- */

static uint64_t trace_word(struct trace *r)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	return r->state ^= r->state << 17;
}

static double uniform(struct trace *r, double from, double to)
{
	return from + (to - from) * (double)(trace_word(r) >> 11) * 0x1p-53;
}

static double expo(struct trace *r, double mean)
{
	return -log(1 - uniform(r, 0, 1)) * mean;
}

static size_t below(struct trace *r, size_t n)
{
	return (size_t)(trace_word(r) >> 16) % n;
}

#define CHOICE(r, ...)                                                                             \
	((const double[]){__VA_ARGS__}[below(r, sizeof((double[]){__VA_ARGS__}) / sizeof(double))])

/* ---- blocks ---- */

static void trace_add(struct trace *r, double t, int change, double born)
{
	if (r->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 1024;
		r->v = realloc(r->v, r->cap * sizeof *r->v);
		assert(r->v);
	}
	r->v[r->n++] = (struct trace_event){t, born, change};
}

static void birth(struct trace *r, double t)
{
	trace_add(r, t, 1, t);
}

/* What goes after the end stays. */
static void death(struct trace *r, double t, double born)
{
	if (t < 1)
		trace_add(r, t, -1, born);
}

/* The next of events that come at random; false: it is after the end. */
static bool next(struct trace *r, double *t, double rate)
{
	*t += expo(r, 1 / rate);
	return *t < 1;
}

/* ---- the kinds ---- */

static void once(struct trace *r)
{
	double until = uniform(r, .005, .25);

	for (size_t n = 20 + below(r, 1980); n; n--)
		birth(r, uniform(r, 0, until));
}

static void leak(struct trace *r)
{
	double rate = CHOICE(r, 500, 2000, 5000), share = CHOICE(r, 1, .3, .1, .03, .01);
	double life = CHOICE(r, 1e-4, 1e-3, 1e-2);

	for (double t = 0; next(r, &t, rate);) {
		birth(r, t);
		if (uniform(r, 0, 1) >= share)
			death(r, t + expo(r, life), t);
	}
}

static void steady(struct trace *r)
{
	double rate = CHOICE(r, 500, 2000, 5000), life = CHOICE(r, .001, .01, .05, .1);
	bool heavy = uniform(r, 0, 1) < .4;

	for (double t = 0; next(r, &t, rate);) {
		birth(r, t);
		death(r,
		      t + (heavy ? life * .3 * pow(1 - uniform(r, 0, 1), -1 / 1.8) : expo(r, life)),
		      t);
	}
}

/* Blocks leave in the order in which they came, or at random, once there are @max; that would be
 * at @full. */
static void bounded(struct trace *r, size_t max, double rate, double full, bool at_random)
{
	double *held = calloc(max, sizeof *held);
	size_t n = 0;

	assert(held);
	for (double t = 0; next(r, &t, rate);) {
		if (uniform(r, 0, 1) >= (double)max / (rate * full))
			continue;
		birth(r, t);
		size_t at = n < max ? n : at_random ? below(r, max) : n % max;

		if (n >= max)
			death(r, t, held[at]);
		held[at] = t;
		n++;
	}
	free(held);
}

static void lru(struct trace *r)
{
	bounded(r, (size_t)CHOICE(r, 100, 300, 1000), CHOICE(r, 2000, 6000), uniform(r, .1, .5),
		false);
}

static void lru_not_full(struct trace *r)
{
	bounded(r, (size_t)CHOICE(r, 100, 300, 1000), CHOICE(r, 2000, 6000), uniform(r, 1.3, 3),
		false);
}

static void random_cache(struct trace *r)
{
	bounded(r, (size_t)CHOICE(r, 100, 300, 1000), CHOICE(r, 2000, 6000), uniform(r, .1, .5),
		true);
}

/* A table of words of which there are so many: new ones come ever more rarely. */
static void vocabulary(struct trace *r, double full)
{
	double words = CHOICE(r, 100, 500, 2000), left = words;

	for (double t = 0; left > 0 && next(r, &t, words / (full / 4));)
		if (uniform(r, 0, 1) < left / words) {
			birth(r, t);
			left--;
		}
}

static void fill_only(struct trace *r)
{
	vocabulary(r, uniform(r, .05, .5));
}

static void fill_not_full(struct trace *r)
{
	vocabulary(r, uniform(r, 1.5, 3));
}

static void queue(struct trace *r, double in, double out)
{
	double *held = calloc(10000, sizeof *held), come = expo(r, 1 / in), go = INFINITY;
	size_t first = 0, n = 0;

	assert(held);
	while (come < 1 || go < 1) {
		if (come <= go) {
			if (come >= 1)
				break;
			assert(n < 10000);
			birth(r, come);
			if (first == n)
				go = come + expo(r, 1 / out);
			held[n++] = come;
			come += expo(r, 1 / in);
		} else {
			death(r, go, held[first++]);
			go = first < n ? go + expo(r, 1 / out) : INFINITY;
		}
	}
	free(held);
}

static void queue_grows(struct trace *r)
{
	double in = CHOICE(r, 1000, 4000);

	queue(r, in, in * CHOICE(r, .5, .8, .9, .95));
}

static void queue_holds(struct trace *r)
{
	double in = CHOICE(r, 1000, 4000);

	queue(r, in, in * CHOICE(r, 1.1, 1.3, 2));
}

/* Batches that are freed at once, but for a share. */
static void batches(struct trace *r, double share)
{
	double every = uniform(r, .01, .12), rate = CHOICE(r, 2000, 5000);
	double flush = every * uniform(r, .3, 1);
	size_t first = 0;

	for (double t = 0; next(r, &t, rate);) {
		while (t > flush) {
			size_t end = r->n;

			for (size_t i = first; i < end; i++)
				if (uniform(r, 0, 1) >= share)
					death(r, flush, r->v[i].born);
			first = r->n;
			flush += every * uniform(r, .8, 1.2);
		}
		birth(r, t);
	}
}

static void saw(struct trace *r)
{
	batches(r, 0);
}

static void leaking_saw(struct trace *r)
{
	batches(r, CHOICE(r, .3, .1, .03));
}

static void day(struct trace *r)
{
	double period = uniform(r, .08, .3), phase = uniform(r, 0, 1);

	for (double t = 0; next(r, &t, 4000);)
		if (uniform(r, 0, 1) < .5 + .45 * sin(2 * M_PI * (t / period + phase))) {
			birth(r, t);
			death(r, t + expo(r, .01), t);
		}
}

static void time_to_live(struct trace *r)
{
	double rate = CHOICE(r, 500, 2000), life = uniform(r, .02, .3);

	for (double t = 0; next(r, &t, rate);) {
		birth(r, t);
		death(r, t + life, t);
	}
}

static void rare(struct trace *r)
{
	double rate = CHOICE(r, 50, 200), life = CHOICE(r, .05, .12);

	for (double t = 0; next(r, &t, rate);) {
		birth(r, t);
		death(r, t + expo(r, life), t);
	}
}

static void once_and_steady(struct trace *r)
{
	once(r);
	steady(r);
}

/* The words of a text: n at t^b of all. */
static void words(struct trace *r)
{
	double n = CHOICE(r, 500, 2000), b = CHOICE(r, .5, .6, .7);

	for (double i = 1; i < n; i++)
		birth(r, pow(i / n, 1 / b));
}

static void steps(struct trace *r)
{
	size_t n = 6 + below(r, 10);

	for (size_t i = 0; i < n; i++) {
		double t = ((double)i + uniform(r, 0, 1)) / (double)n;

		for (size_t k = 30 + below(r, 30); k; k--)
			birth(r, t);
	}
}

#define IS(name)  (1u << (name))
#define IS_STEADY (IS(TREND_STEADY) | IS(TREND_BRIEF))

/* What of a kind is right. A site with two uses has one verdict, a table that is filled at once was
 * filled once. */
static const struct trace_kind {
	const char *name;
	void (*make)(struct trace *r);
	unsigned right;
} trace_kinds[] = {
	{"once", once, IS(TREND_ONCE)},
	{"leak", leak, IS(TREND_GROWS)},
	{"steady", steady, IS_STEADY},
	{"lru", lru, IS(TREND_CACHED)},
	{"random cache", random_cache, IS(TREND_CACHED)},
	{"fill only", fill_only, IS(TREND_CACHED) | IS(TREND_ONCE)},
	{"queue grows", queue_grows, IS(TREND_GROWS)},
	{"queue holds", queue_holds, IS_STEADY},
	{"saw", saw, IS_STEADY},
	{"leaking saw", leaking_saw, IS(TREND_GROWS)},
	{"day", day, IS_STEADY},
	{"time to live", time_to_live, IS_STEADY},
	{"rare", rare, IS_STEADY},
	{"once and steady", once_and_steady, IS_STEADY | IS(TREND_CACHED)},
	{"words", words, IS(TREND_GROWS)},
	{"steps", steps, IS(TREND_GROWS)},
	{"lru not full", lru_not_full, IS(TREND_GROWS)},
	{"fill not full", fill_not_full, IS(TREND_GROWS)},
};

#endif
