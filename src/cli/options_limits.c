/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that say what to do when something exceeds a limit. */
#include "cli/option_values.h"
#include "cli/options.h"

#include "base/text.h"
#include "session/memory_limit.h"

#include <stdio.h>
#include <string.h>

/* "/s", "/min", "/h"; 0: none of them. */
static uint64_t stretch_ns(const char *text)
{
	static const struct {
		const char *text;
		unsigned seconds;
	} units[] = { { "/s", 1 }, { "/min", 60 }, { "/h", 3600 } };

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(text, units[i].text))
			return units[i].seconds * UINT64_C(1000000000);
	return 0;
}

/* "10M/min" */
static bool set_growth_limit(struct snapshot_when *w, const char *v)
{
	size_t len = strcspn(v, "/");
	char size[32];

	w->of = SNAPSHOT_GROWTH;
	w->per_ns = stretch_ns(v + len);
	if (!w->per_ns || len >= sizeof size)
		return false;
	snprintf(size, sizeof size, "%.*s", (int)len, v);
	return value_bytes(&w->above, size);
}

static bool add_snapshot(struct options *o, const char *v)
{
	struct snapshot_when w = { .given = v };
	const char *rest;
	bool is = false;

	if ((rest = text_after(v, "rss>"))) {
		w.of = SNAPSHOT_RSS;
		is = value_bytes(&w.above, rest);
	} else if ((rest = text_after(v, "live>"))) {
		w.of = SNAPSHOT_LIVE;
		is = value_bytes(&w.above, rest);
	} else if ((rest = text_after(v, "growth>"))) {
		is = set_growth_limit(&w, rest);
	}
	if (!is || o->n_snapshots == MAX_SNAPSHOTS)
		return false;
	o->snapshots[o->n_snapshots++] = w;
	return true;
}

static bool set_max_slowdown(struct options *o, const char *v)
{
	double factor;

	if (!value_seconds(&factor, v) || factor < 1.05 || factor >= SLOWDOWN_MAX)
		return false;
	o->over.slowdown = factor;
	return true;
}

static bool set_max_memory(struct options *o, const char *v)
{
	return value_bytes(&o->max_memory, v) && o->max_memory >= MEMORY_LIMIT_LEAST;
}

static bool set_over(struct options *o, const char *v)
{
	static const char *const words[] = { [OVER_PAUSE] = "pause", [OVER_DETACH] = "detach" };
	unsigned which;

	if (!value_word(&which, v, words, sizeof words / sizeof *words))
		return false;
	o->over.how = which;
	o->over_given = true;
	return true;
}

bool limit_options_check(const struct options *o)
{
	if (o->over_given && !o->over.slowdown) {
		say("--over means nothing without --max-slowdown");
		return false;
	}
	if (!o->n_snapshots || strcmp(o->data, "/dev/null"))
		return true;
	say("--snapshot-when writes beside the data file, and --data=/dev/null wants none: give it "
	    "a name");
	return false;
}

const struct option_def limit_options[] = {
	{ "snapshot-when", FOR_TRACING | NEEDS_VALUE,
	  "rss>BYTES, live>BYTES, or growth>BYTES/s, /min or /h, where BYTES may have K, M or G; "
	  "16 of them at most", add_snapshot },
	{ "max-slowdown", FOR_TRACING | NEEDS_VALUE, "a factor from 1.05 to below 100",
	  set_max_slowdown },
	{ "max-memory", FOR_TRACING | NEEDS_VALUE, "a number of bytes of 1M or more, as in 64M or "
	  "64MiB", set_max_memory },
	{ "over", FOR_TRACING | NEEDS_VALUE, "pause or detach", set_over },
	{ 0 },
};
