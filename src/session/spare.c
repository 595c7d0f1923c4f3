/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/spare.h"

#include "base/clock.h"
#include "session/memory_limit.h"

#include <stdio.h>
#include <string.h>

uint64_t spare_used(const struct session *s)
{
	uint64_t used = 0;

	for (const struct image *i = s->images; i; i = i->next)
		used += profile_used(i->profile);
	for (const struct image *i = s->left_out; i; i = i->next)
		used += profile_used(i->profile);
	return used;
}

static void add_words(char *text, size_t size, const char *words)
{
	size_t n = strlen(text);

	snprintf(text + n, size - n, "%s%s", n ? "; " : "", words);
}

/* Say what has been given up since step @before. */
static void say_steps(const struct session *s, enum memory_step before, uint64_t used)
{
	const struct pd_spared was = memory_limit_spares(before),
			       is = memory_limit_spares(s->spare_step);
	char what[320] = "", cut[64];

	if (is.lifetimes && !was.lifetimes)
		add_words(what, sizeof what, "how long blocks live is not kept any more");
	if (is.timeline && !was.timeline)
		add_words(what, sizeof what, "what was live over the time is not kept any more, "
					     "nor are there verdicts");
	snprintf(cut, sizeof cut, "new chains are cut to the innermost %s%.0u%s",
		 is.depth > 1 ? "" : "frame", is.depth > 1 ? is.depth : 0,
		 is.depth > 1 ? " frames" : "");
	if (is.depth != was.depth)
		add_words(what, sizeof what, cut);
	if (s->spare_step == MEMORY_OVER)
		add_words(what, sizeof what, "nothing is left to do without, and live blocks are "
					     "counted on beyond the limit");
	say_to(s->host.say,
	       "%.1f s after the start: the profiles take %.1f of the %.1f MiB of --max-memory: %s",
	       (double)(clock_now_ns() - s->started_ns) / 1e9, (double)used / (1 << 20),
	       (double)s->settings.max_memory / (1 << 20), what);
}

/* Several steps at once make one sentence, with what was used before the first of them. */
void spare_check(struct session *s)
{
	const enum memory_step before = s->spare_step;
	const uint64_t found = spare_used(s);
	enum memory_step step;

	for (uint64_t used = found;; used = spare_used(s)) {
		step = memory_limit_next(s->settings.max_memory, used, s->spare_step);
		if (step == s->spare_step)
			break;
		s->spare_step = step;
		for (struct image *i = s->images; i; i = i->next)
			spare_begin(i);
	}
	if (step != before)
		say_steps(s, before, found);
}

void spare_begin(struct image *i)
{
	const struct pd_spared what = memory_limit_spares(i->session->spare_step);

	if (i->session->spare_step)
		profile_spare(i->profile, &what);
}
