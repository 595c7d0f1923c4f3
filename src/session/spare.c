/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/spare.h"

#include "base/clock.h"
#include "session/memory_limit.h"

#include <stdio.h>

uint64_t spare_used(const struct session *s)
{
	uint64_t used = 0;

	for (const struct image *i = s->images; i; i = i->next)
		used += profile_used(i->profile);
	for (const struct image *i = s->left_out; i; i = i->next)
		used += profile_used(i->profile);
	return used;
}

static void say_step(const struct session *s, uint64_t used)
{
	const enum memory_step step = s->spare_step;
	const unsigned depth = memory_limit_spares(step).depth;
	char what[160] = "how long blocks live is not kept any more";

	if (step == MEMORY_NO_TIMELINE)
		snprintf(what, sizeof what, "what was live over the time is not kept any more, "
			 "nor are there verdicts");
	else if (step == MEMORY_OVER)
		snprintf(what, sizeof what, "nothing is left to do without, and live blocks are "
			 "counted on");
	else if (depth)
		snprintf(what, sizeof what, "new chains are cut to the innermost %s%.0u%s",
			 depth > 1 ? "" : "frame", depth > 1 ? depth : 0,
			 depth > 1 ? " frames" : "");
	say_to(s->host.say, "%.1f s after the start: the profiles take %.1f of the %.1f MB of "
	       "--max-memory: %s", (double)(clock_now_ns() - s->started_ns) / 1e9,
	       (double)used / (1 << 20), (double)s->settings.max_memory / (1 << 20), what);
}

void spare_check(struct session *s)
{
	for (;;) {
		const uint64_t used = spare_used(s);
		const enum memory_step step =
			memory_limit_next(s->settings.max_memory, used, s->spare_step);

		if (step == s->spare_step)
			return;
		s->spare_step = step;
		for (struct image *i = s->images; i; i = i->next)
			spare_begin(i);
		say_step(s, used);
	}
}

void spare_begin(struct image *i)
{
	const struct pd_spared what = memory_limit_spares(i->session->spare_step);

	if (i->session->spare_step)
		profile_spare(i->profile, &what);
}
