/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/unseen.h"

#include "base/clock.h"

static struct observed_counts counts_of(const struct image *i)
{
	return i->observed ? i->session->observer->ops->counts(i->observed) : i->counts;
}

uint32_t unseen_engines(const struct image *i)
{
	struct observed_counts c = counts_of(i);

	if (!c.trapped)
		return 0;
	return c.engine.functions ? PD_ENGINE_FAST : PD_ENGINE_TRAP;
}

struct pd_unseen unseen_so_far(const struct image *i)
{
	struct observed_counts c = counts_of(i);

	return (struct pd_unseen){
		.lost = c.lost,
		.lost_unreadable = c.lost_unreadable,
		.lost_damaged = c.lost_damaged,
		.doubtful = c.doubtful,
		.other_requests = c.unwanted + i->size_filter.requests,
		.other_frees = i->size_filter.frees,
		.pauses = i->pauses,
		.paused_ns = i->paused_ns + (i->paused_since_ns ?
						     clock_now_ns() - i->paused_since_ns : 0),
		.taken = c.taken,
		.untrapped = !c.trapped,
	};
}

/* Counters since mprof_restart(). Fields that are a state, such as taken, are not counted since
 * then. */
struct pd_unseen unseen_now(const struct image *i)
{
	struct pd_unseen u = unseen_so_far(i);
	const struct pd_unseen *before = &i->unseen_before;

	u.lost -= before->lost;
	u.lost_unreadable -= before->lost_unreadable;
	u.lost_damaged -= before->lost_damaged;
	u.doubtful -= before->doubtful;
	u.other_requests -= before->other_requests;
	u.other_frees -= before->other_frees;
	u.pauses -= before->pauses;
	u.paused_ns -= before->paused_ns;
	return u;
}
