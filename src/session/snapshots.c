/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/snapshots.h"

#include "base/error.h"
#include "proc/status.h"
#include "session/saving.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int snapshots_begin(struct image *i)
{
	size_t n = i->session->settings.n_snapshots;

	i->live_above = UINT64_MAX;
	if (!n)
		return 0;
	i->judges = calloc(n, sizeof *i->judges);
	if (!i->judges)
		return -ENOMEM;
	i->live_above = 0; /* the first event checks them, which sets the real value */
	return 0;
}

void snapshots_end(struct image *i)
{
	free(i->judges);
	i->judges = NULL;
}

void snapshots_follow(struct image *next, const struct image *i)
{
	next->snapshots = i->snapshots;
}

void snapshots_fork(struct image *child, const struct image *parent)
{
	size_t n = child->session->settings.n_snapshots;

	if (n)
		memcpy(child->judges, parent->judges, n * sizeof *child->judges);
}

/* ---- writing ---- */

struct snapshot {
	const struct image *image;
	const char *why;
};

static int write_snapshot(void *ctx)
{
	const struct snapshot *of = ctx;
	struct session *s = of->image->session;

	return s->host.snapshot(s, of->image, of->why);
}

static void take(struct image *i, const struct snapshot_when *w, uint64_t figure)
{
	struct session *s = i->session;
	struct error why;
	struct snapshot of = { i, why.text };

	if (i->snapshots > SNAPSHOTS_MAX)
		return;
	if (i->snapshots++ == SNAPSHOTS_MAX) {
		say_to(s->host.say,
		       "process %d: %s, but it has %d files already that say such things: no more "
		       "are written",
		       (int)i->pid, w->given, SNAPSHOTS_MAX);
		return;
	}
	error_set(&why, 0, "process %d: %s (%" PRIu64 " bytes)", (int)i->pid, w->given, figure);
	session_write_beside(s, i, "a snapshot", write_snapshot, &of);
}

/* ---- checking ---- */

static void check(struct image *i, const struct snapshot_figures *f, bool live_only)
{
	const struct session_settings *set = &i->session->settings;
	uint64_t figure;

	i->live_above = UINT64_MAX;
	for (size_t k = 0; k < set->n_snapshots; k++) {
		const struct snapshot_when *w = &set->snapshots[k];
		struct snapshot_judge *j = &i->judges[k];

		if ((w->of == SNAPSHOT_LIVE || !live_only) && snapshot_due(w, j, f, &figure))
			take(i, w, figure);
		if (w->of == SNAPSHOT_LIVE && !j->fired && w->above < i->live_above)
			i->live_above = w->above;
	}
}

void snapshots_look(struct image *i, uint64_t now_ns)
{
	const struct snapshot_figures f = { .now_ns = now_ns,
					    .rss = proc_status(i->pid).vm_rss * 1024,
					    .live = i->profile->live_bytes,
					    .unseen = i->paused_since_ns };

	check(i, &f, false);
}

void snapshots_live(struct image *i)
{
	const struct snapshot_figures f = { .live = i->profile->live_bytes };

	check(i, &f, true);
}
