/* SPDX-License-Identifier: BSD-2-Clause */
/* Sentences about what was not observed, kept out of the report's tables. */
#include "outputs/unseen.h"

#include "base/text.h"
#include "outputs/tell.h"
#include "profile/pd_merge.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

static void say_lost(say_fn *say, const struct pd_unseen *u, const char *path, const char *colon)
{
	const uint64_t memory = u->lost - u->lost_unreadable - u->lost_damaged;

	if (!u->lost)
		return;
	if (!u->lost_damaged)
		say_to(say,
		       "%s%s%" PRIu64 " events could not be counted: for want of memory (%" PRIu64
		       "), because the stack could not be read (%" PRIu64 ")",
		       path, colon, u->lost, memory, u->lost_unreadable);
	else
		say_to(say,
		       "%s%s%" PRIu64 " events could not be counted: for want of memory (%" PRIu64
		       "), because the stack could not be read (%" PRIu64
		       "), because what was noted of them in the program's memory makes no sense: "
		       "something has written there (%" PRIu64 ")",
		       path, colon, u->lost, memory, u->lost_unreadable, u->lost_damaged);
}

static void say_paused(say_fn *say, const struct profile_data *d, const char *path,
		       const char *colon)
{
	const struct pd_totals *t = &d->totals;
	char before[PATH_MAX];

	snprintf(before, sizeof before, "%s%s", path, colon);
	tell_slowdown(say, (double)d->slowdown_milli / 1000, before);
	if (d->unseen.pauses)
		say_to(say, "%s%snothing was seen in %" PRIu64 " pause%s of %.1f s in all", path,
		       colon, d->unseen.pauses, text_plural(d->unseen.pauses),
		       (double)d->unseen.paused_ns / 1e9);
	if (t->missed)
		say_to(say,
		       "%s%s%" PRIu64 " block%s of %" PRIu64
		       " bytes that were there when a pause began may have been freed in it: they "
		       "count as freed, and not as kept",
		       path, colon, t->missed, text_plural(t->missed), t->missed_bytes);
	if (t->paused_frees)
		say_to(say, "%s%s%" PRIu64 " free%s of blocks that were requested in a pause, or "
			    "before it was attached to",
		       path, colon, t->paused_frees, text_plural(t->paused_frees));
}

static void say_spared(say_fn *say, const struct profile_data *d, const char *path,
		       const char *colon)
{
	const struct pd_spared *s = &d->spared;
	char cut[128] = "";

	if (s->depth)
		snprintf(cut, sizeof cut,
			 "%s%" PRIu64 " chain%s cut, the last ones to %" PRIu32 " frame%s",
			 s->lifetimes || s->timeline ? "; " : "", d->totals.truncated_cut,
			 d->totals.truncated_cut == 1 ? " was" : "s were", s->depth,
			 text_plural(s->depth));
	if (s->lifetimes || s->timeline || s->depth)
		say_to(say, "%s%sto keep to --max-memory %s%s%s%s", path, colon,
		       s->lifetimes ? "it was not kept how long blocks live, nor which are "
				      "temporary: table 5 tells of none" :
				      "",
		       s->lifetimes && s->timeline ? "; " : "",
		       s->timeline ? "nor what was live over the time: there are no verdicts" : "",
		       cut);
}

void unseen_say(say_fn *say, const struct profile_data *d, const char *path)
{
	const struct pd_unseen *u = &d->unseen;
	const char *colon = path ? ": " : "";

	path = path ? path : "";
	say_lost(say, u, path, colon);
	if (u->other_requests || u->other_frees)
		say_to(say, "%s%s%" PRIu64 " requests of other sizes, and %" PRIu64
		    " frees of blocks that are not recorded, were seen and left out",
		    path, colon, u->other_requests, u->other_frees);
	if (u->doubtful)
		say_to(say, "%s%s%" PRIu64
		    " calls may have been made by a request of another size, which was not waited "
		    "for, and count as the program's: what called them does not describe its "
		    "frames", path, colon, u->doubtful);
	say_paused(say, d, path, colon);
	say_spared(say, d, path, colon);
	if (u->taken)
		say_to(say,
		       "%s%sin %" PRIu32 " function%s that %s to be trapped a breakpoint stood "
		       "already: if the kernel serves it (a uprobe of perf or bpftrace), their "
		       "calls have not been seen",
		       path, colon, u->taken, text_plural(u->taken),
		       u->taken == 1 ? "was" : "were");
	if (u->untrapped)
		say_to(say,
		       "%s%snothing was trapped in %s: no allocator was found where it was looked "
		       "for; mprof probes tells what would be, and --malloc-lib and --hook change "
		       "that",
		       path, colon, pd_merge_count(d) ? "some of its profiles" : "it");
}

void unseen_say_totals(say_fn *say, const struct profile_data *d)
{
	const struct pd_totals *t = &d->totals;

	say_to(say,
	       "%" PRIu64 " truncated chains, %" PRIu64 " frees of unknown blocks, %" PRIu64
	       " failed requests, %" PRIu64 " events lost",
	       t->truncated_chains, t->unknown_frees, t->failed_allocs, d->unseen.lost);
}

void unseen_say_notes(say_fn *say, const struct profile_data *d, bool quiet)
{
	const struct pd_totals *t = &d->totals;

	if (t->truncated_chains || (t->unknown_frees && !quiet) || t->failed_allocs ||
	    d->unseen.lost)
		unseen_say_totals(say, d);
	unseen_say(say, d, NULL);
	tell_chains(say, d);
	tell_sizes(say, d);
}
