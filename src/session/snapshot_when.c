/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/snapshot_when.h"

#include <string.h>

/* Keep a sample for each part of the span, and the newest of those that are older than the span. */
static void take_sample(struct snapshot_judge *j, const struct snapshot_figures *f, uint64_t per_ns)
{
	const uint64_t part = per_ns / (SNAPSHOT_SAMPLES - 2);
	unsigned gone = 0;

	while (gone + 1 < j->n && f->now_ns - j->samples[gone + 1].ns >= per_ns)
		gone++;
	j->n -= gone;
	memmove(j->samples, j->samples + gone, j->n * sizeof *j->samples);
	if (j->n < SNAPSHOT_SAMPLES && (!j->n || f->now_ns - j->samples[j->n - 1].ns >= part))
		j->samples[j->n++] = (struct snapshot_sample){ f->now_ns, f->live };
}

/* Set *figure to the growth over the last per_ns. False: it is not known. */
static bool growth(struct snapshot_judge *j, const struct snapshot_figures *f, uint64_t per_ns,
		   uint64_t *figure)
{
	take_sample(j, f, per_ns);
	if (f->now_ns - j->samples[0].ns < per_ns)
		return false;
	*figure = f->live > j->samples[0].live ? f->live - j->samples[0].live : 0;
	return true;
}

static bool figure_of(const struct snapshot_when *w, struct snapshot_judge *j,
		      const struct snapshot_figures *f, uint64_t *figure)
{
	switch (w->of) {
	case SNAPSHOT_RSS:
		*figure = f->rss;
		return f->rss;
	case SNAPSHOT_LIVE:
		*figure = f->live;
		return !f->unseen;
	case SNAPSHOT_GROWTH:
		if (!f->unseen)
			return growth(j, f, w->per_ns, figure);
		/* Blocks missed in the pause are not live after it: begin anew. */
		j->n = 0;
		return false;
	}
	return false;
}

bool snapshot_due(const struct snapshot_when *w, struct snapshot_judge *j,
		  const struct snapshot_figures *f, uint64_t *figure)
{
	bool was = j->fired;

	if (!figure_of(w, j, f, figure))
		return false;
	if (*figure > w->above)
		j->fired = true;
	else if (*figure <= w->above - w->above / 10)
		j->fired = false;
	return j->fired && !was;
}
