/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/timeline.h"

#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>

struct timeline {
	struct recorder base;
	const struct massif_settings *settings;
	const struct profile *profile;
	uint64_t start_ns;	/* CLOCK_MONOTONIC */
	unsigned points;
	struct massif_numbers now, peak;
	struct massif_table table;
};

/* Count a block that the profile has counted; those inherited by fork are not counted. */
static void add(struct timeline *t, uint32_t leaf, int64_t sign)
{
	uint64_t size = t->profile->leaves[leaf].size, extra = massif_extra(t->settings, size);

	t->now.useful += (uint64_t)sign * size;
	t->now.extra += (uint64_t)sign * extra;
	t->now.blocks += (uint64_t)sign;
}

static void on_event(struct recorder *base, const struct alloc_event *e,
		     const struct block_change *c)
{
	struct timeline *t = (struct timeline *)base;
	uint64_t before = massif_total(&t->now);

	if (c->kind == BLOCK_NO_CHANGE)
		return;
	if (c->replaced_leaf != PD_NONE && !c->replaced_inherited)
		add(t, c->replaced_leaf, -1);
	if (c->old_leaf != PD_NONE && !c->old_inherited)
		add(t, c->old_leaf, -1);
	if (c->leaf != PD_NONE)
		add(t, c->leaf, 1);
	uint64_t after = massif_total(&t->now);

	t->now.churn += after > before ? after - before : before - after;
	t->now.time = e->time_ns > t->start_ns ? e->time_ns - t->start_ns : 0;
	if (t->now.useful > t->peak.useful)
		t->peak = t->now;
	/* On -ENOMEM there are fewer points. */
	massif_pass(&t->table, &t->now);
}

static void begin(struct timeline *t)
{
	t->start_ns = clock_now_ns();
	t->now = t->peak = (struct massif_numbers){ 0 };
	massif_take(&t->table, MASSIF_PLAIN, &t->now, NULL);
}

static void on_mark(struct recorder *base, enum recorder_mark mark, pid_t task, uint64_t time_ns)
{
	struct timeline *t = (struct timeline *)base;

	(void)task, (void)time_ns;
	if (mark != RECORD_RESTARTED)
		return;
	massif_table_clear(&t->table);
	begin(t);
}

/* A forked child's profile begins with nothing counted, and so does its timeline. */
static struct recorder *on_fork(const struct recorder *base, const struct profile *child, pid_t pid)
{
	const struct timeline *from = (const struct timeline *)base;

	(void)pid;
	return (struct recorder *)timeline_new(from->settings, from->points, child);
}

static void on_free(struct recorder *base)
{
	massif_table_release(&((struct timeline *)base)->table);
	free(base);
}

static int on_report(const struct recorder *base, struct profile_data *d)
{
	return timeline_points((const struct timeline *)base, &d->points, &d->n_points);
}

static const struct recorder_ops timeline_ops = {
	.event = on_event,
	.missed = on_event,
	.mark = on_mark,
	.fork = on_fork,
	.free = on_free,
	.report = on_report,
};

struct timeline *timeline_new(const struct massif_settings *settings, unsigned points,
			      const struct profile *p)
{
	struct timeline *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->base.ops = &timeline_ops;
	t->settings = settings;
	t->profile = p;
	t->points = points;
	/* Leave room for the peak, and for a maximum at the end. */
	massif_table_init(&t->table,
			  &(struct massif_rules){ .max_snapshots = points > 3 ? points - 1 : 3,
						  .keep_maxima = true });
	begin(t);
	return t;
}

static struct pd_point point_of(const struct massif_numbers *at, bool peak)
{
	return (struct pd_point){ at->time, at->churn, at->useful, at->extra, at->blocks, peak };
}

int timeline_points(const struct timeline *t, struct pd_point **points, size_t *n)
{
	struct pd_point *p = calloc(t->table.n + 2, sizeof *p);
	const struct massif_numbers *end = massif_left_out(&t->table);
	bool peak_due = t->peak.useful;

	if (!p)
		return -ENOMEM;
	*n = 0;
	for (size_t i = 0; i < t->table.n; i++) {
		const struct massif_numbers *at = &t->table.snapshots[i].at;

		bool is_peak = peak_due && at->time == t->peak.time && at->churn == t->peak.churn &&
			       at->useful == t->peak.useful;

		/* Events may have equal times, but hardly equal churn. */
		if (peak_due && !is_peak &&
		    (at->time > t->peak.time || at->churn > t->peak.churn)) {
			p[(*n)++] = point_of(&t->peak, true);
			peak_due = false;
		}
		p[(*n)++] = point_of(at, is_peak);
		peak_due &= !is_peak;
	}
	if (peak_due)
		p[(*n)++] = point_of(&t->peak, true);
	if (end && !(end->useful == t->peak.useful && peak_due) && *n < t->points)
		p[(*n)++] = point_of(end, false);
	*points = p;
	return 0;
}
