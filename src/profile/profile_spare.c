/* SPDX-License-Identifier: BSD-2-Clause */
/* Making a profile need less memory, and how much it needs. */
#include "profile/profile.h"

void profile_spare(struct profile *p, const struct pd_spared *what)
{
	p->spared = *what;
	if (what->lifetimes)
		lifetimes_forget(&p->lifetimes);
	if (!what->timeline)
		return;
	profile_keep_series(p, 0);
	kept_series_release(&p->kept_series);
	kept_windows_release(&p->kept_windows);
	windows_stop(&p->windows);
}

static uint64_t kept_used(const struct profile *p)
{
	const struct kept_windows *w = &p->kept_windows;
	const struct kept_series *s = &p->kept_series;

	return w->n * sizeof *w->v + w->n_survivors * sizeof *w->survivors +
	       s->n * sizeof *s->points + s->n_held * sizeof *s->held;
}

uint64_t profile_used(const struct profile *p)
{
	return p->n_places * sizeof *p->places + idindex_memory(&p->place_index) +
	       p->n_nodes * sizeof *p->nodes + idindex_memory(&p->node_index) +
	       p->n_leaves * sizeof *p->leaves + idindex_memory(&p->leaf_index) +
	       live_memory(&p->live) + before_memory(&p->before) + marks_memory(&p->marks) +
	       lifetimes_memory(&p->lifetimes) + windows_used(&p->windows) +
	       series_used(&p->series) + kept_used(p);
}
