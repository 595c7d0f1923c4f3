/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/tell.h"

#include "base/memstream.h"
#include "base/namesource.h"
#include "base/text.h"
#include "outputs/unseen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is said of names ---- */

static void tell_list(say_fn *say, const char *source, const char *list)
{
	const char *rest = text_after(source, "none");

	if (rest)
		say_to(say, "no names%s: %s", rest, list);
	else
		say_to(say, "names from %s: %s", source, list);
}

/* All modules whose names came from the same source as those of @first, several on a line. */
static void tell_source(say_fn *say, const struct profile_data *d, const bool *occurs, size_t first)
{
	char list[600] = "";
	size_t len = 0;

	for (size_t i = first; i < d->n_modules; i++) {
		const char *path = d->modules[i].path;

		if (!occurs[i] || strcmp(d->modules[i].names, d->modules[first].names))
			continue;
		if (len && len + strlen(path) + 2 >= sizeof list) {
			tell_list(say, d->modules[first].names, list);
			len = 0;
		}
		int n = snprintf(list + len, sizeof list - len, "%s%s", len ? ", " : "", path);
		len += n > 0 ? (size_t)n : 0;
		if (len >= sizeof list)
			len = sizeof list - 1;
	}
	tell_list(say, d->modules[first].names, list);
}

/* One line for each source. */
static void tell_sources(say_fn *say, const struct profile_data *d, const bool *told)
{
	for (size_t i = 0; i < d->n_modules; i++) {
		size_t same = 0;

		while (same < i &&
		       !(told[same] && !strcmp(d->modules[same].names, d->modules[i].names)))
			same++;
		if (told[i] && same == i)
			tell_source(say, d, told, i);
	}
}

void tell_names(say_fn *say, const struct profile_data *d, enum tell_names which,
		lacking_fn *lacking, void *ctx)
{
	bool *told = profile_data_modules_used(d);
	size_t whole = 0;

	for (size_t i = 0; told && i < d->n_modules; i++) {
		if (!told[i])
			continue;
		if (!namesource_is_whole(d->modules[i].names)) {
			lacking(ctx, &d->modules[i]);
		} else if (which == TELL_NAMES_MISSING) {
			told[i] = false;
			whole++;
		}
	}
	if (whole)
		say_to(say, "names from DWARF of %zu file%s", whole, text_plural(whole));
	if (told)
		tell_sources(say, d, told);
	free(told);
}

void tell_unread(say_fn *say, const struct profile_data *d)
{
	bool *told = profile_data_modules_used(d);

	for (size_t i = 0; told && i < d->n_modules; i++)
		told[i] = told[i] && text_begins(d->modules[i].names, NAMESOURCE_UNREAD);
	if (told)
		tell_sources(say, d, told);
	free(told);
}

void tell_peak(say_fn *say, const struct profile_data *d)
{
	const struct pd_point *p = profile_data_peak(d);

	if (p)
		say_to(say,
		       "the peak: %" PRIu64 " bytes in %" PRIu64 " block%s, %.3f s after %s",
		       p->live_bytes, p->live_blocks, text_plural(p->live_blocks),
		       (double)p->time_ns / 1e9,
		       d->from == PD_FROM_ATTACH ? "mprof attached" : "the start");
}

void tell_chains(say_fn *say, const struct profile_data *d)
{
	const struct pd_totals *t = &d->totals;
	uint64_t guessed;

	if (t->truncated_chains)
		say_to(say,
		       "chains are truncated for want of call frame information (%" PRIu64
		       "), because the stack could not be read (%" PRIu64
		       "), at the depth limit (%" PRIu64 "), for --max-memory (%" PRIu64 ")",
		       t->truncated_no_cfi, t->truncated_unreadable, t->truncated_too_deep,
		       t->truncated_cut);
	if (profile_data_guessed_chains(d, &guessed) == 0 && guessed)
		say_to(say,
		       "%" PRIu64
		       " chain%s followed by frame pointers where there is no call frame "
		       "information: a function that keeps none is left out",
		       guessed, guessed == 1 ? " was" : "s were");
}

void tell_sizes(say_fn *say, const struct profile_data *d)
{
	if (d->max_size)
		say_to(say, "only requests of %" PRIu64 " to %" PRIu64 " bytes were recorded",
		       d->min_size, d->max_size);
	else if (d->min_size)
		say_to(say, "only requests of %" PRIu64 " bytes or more were recorded",
		       d->min_size);
}

/* ---- of an image ---- */

void tell_counts(say_fn *say, const struct image *i, const struct profile_data *d)
{
	const struct pd_totals *t = &d->totals;
	char name[TITLE_MAX];

	session_name(i, name);
	say_to(say,
	       "%s (process %" PRIu32 "): %" PRIu64 " allocation%s of %" PRIu64 " bytes, %" PRIu64
	       " free%s; at most %" PRIu64 " bytes at a time, %" PRIu64 " kept",
	       name, d->pid, t->allocs, text_plural(t->allocs), t->alloc_bytes, t->frees,
	       text_plural(t->frees), t->peak_bytes, t->alloc_bytes - t->free_bytes);
	tell_peak(say, d);
	unseen_say_totals(say, d);
	unseen_say(say, d, NULL);
	if (i->counts.engine_failed)
		say_to(say,
		       "the fast engine's code made a fault in %s (process %" PRIu32
		       ") and was switched off: calls since then have not been seen", name, d->pid);
}

void tell_engines(say_fn *say, const struct profile_data *d)
{
	static const char *const words[] = {
		"which engine saw the calls is not recorded",
		"the calls were seen by traps",
		"the calls were seen by the fast engine",
		"the calls were seen by the fast engine, those of some of the profiles by traps",
	};

	say_to(say, "%s%s", words[d->engines & (PD_ENGINE_TRAP | PD_ENGINE_FAST)],
	       d->engines > PD_ENGINE_UNTOLD ? "; of some of the profiles it is not recorded" : "");
}

static void tell_engine(say_fn *say, const struct engine_counts *c)
{
	say_to(say,
	       "the fast engine: %" PRIu64 " function%s, %" PRIu64 " record%s, of these %" PRIu64
	       " of threads not known by then or interrupted, %" PRIu64
	       " with a copy of the stack",
	       c->functions, text_plural(c->functions), c->records, text_plural(c->records),
	       c->strangers, c->stacks);
	say_to(say,
	       "the fast engine: %" PRIu64 " nodes, %" PRIu64
	       " times a thread was stopped that waited for room", c->nodes, c->parked);
}

/* Under the fast engine, a line of zeros about traps is of no use. */
void tell_effort(say_fn *say, const struct image *i, const struct profile_data *d)
{
	const struct observed_counts *c = &i->counts;
	bool by_traps = !c->engine.functions;

	tell_engines(say, d);
	say_to(say,
	       "%" PRIu64 " traps hit, %" PRIu64 " single steps, %" PRIu64 " traps written",
	       c->traps, c->steps, c->planted);
	if (by_traps || c->nested || c->spurious_hits || c->null_frees)
		say_to(say,
		       "of the traps: %" PRIu64 " in calls the allocator made itself, %" PRIu64
		       " behind calls that were none of its, %" PRIu64 " frees of no block",
		       c->nested, c->spurious_hits, c->null_frees);
	if (by_traps || c->unwind_known || c->unwind_made || c->unwind_checked)
		say_to(say,
		       "unwinding: %" PRIu64 " steps remembered, %" PRIu64 " made; %" PRIu64
		       " chains checked, %" PRIu64 " wrong",
		       c->unwind_known, c->unwind_made, c->unwind_checked, c->unwind_wrong);
	if (c->engine.records)
		tell_engine(say, &c->engine);
	say_to(say,
	       "memory: %" PRIu64 " bytes for places, %" PRIu64
	       " for counters and live blocks, %" PRIu64 " for the call tree",
	       d->memory.functions, d->memory.counters, d->memory.links);
}

/* At the end nothing is observed any more: decide by the counters. */
static bool was_trapped(const struct session *s)
{
	for (const struct image *i = s->images; i; i = i->next)
		if (i->counts.traps && !i->counts.engine.functions)
			return true;
	return false;
}

void tell_slowdown(say_fn *say, double slowdown, const char *before)
{
	if (slowdown > 0)
		say_to(say,
		       "%swhile it was watched it took the program about %.1f times as long as by "
		       "itself, of its own processor time: time it sleeps is not in that",
		       before, slowdown);
}

void tell_session_effort(say_fn *say, const struct session *s, const struct session_cost *cost)
{
	struct observer_effort e = s->observer->ops->effort(s->observer);
	const bool trapped = was_trapped(s);

	say_to(say, "mprof was busy for %.0f%% of the time%s", session_cost_share(cost) * 100,
	       trapped ? "; the program was stopped then, and while the kernel switched "
			      "between the two, which comes on top"
			    : "");
	say_to(say, "%" PRIu64 " stop%s in all", e.stops, text_plural(e.stops));
	if (!s->settings.over.slowdown) /* otherwise each profile has told it */
		tell_slowdown(say, slowdown_of(&s->cost), "");
	if (e.followed || e.given_up)
		say_to(say,
		       "followed a task to its processor %" PRIu64 " time%s, and gave up %" PRIu64
		       " time%s because others wanted it",
		       e.followed, text_plural(e.followed), e.given_up, text_plural(e.given_up));
	if (!s->launched)
		say_to(say, "attaching stopped the process for %.1f ms", (double)e.attach_ns / 1e6);
}

bool tell_unfollowed(const struct session *s, struct error *e)
{
	uint64_t n = s->unfollowed;

	if (n)
		error_set(e, 0,
			  "%" PRIu64 " process%s that %s started %s not profiled; "
			  "--trace-children=yes%s does that",
			  n, n == 1 ? "" : "es", s->n_attached > 1 ? "they" : "it",
			  n == 1 ? "was" : "were",
			  s->launched ? "" : ", or --tree with those that are there already,");
	return n;
}

/* ---- of images that are left out ---- */

enum { NAMES = 6 };	/* so many programs are named, at most */

struct name {
	const char *name;
	unsigned n;
};

static const char *name_of(const struct image *i)
{
	return i->command && i->command[0] ? path_last(i->command[0]) : "?";
}

/* "4 bash, env, and others" */
static void print_names(const struct image *list, FILE *out)
{
	struct name names[NAMES];
	size_t n = 0;
	bool others = false;

	for (const struct image *i = list; i; i = i->next) {
		size_t k = 0;

		while (k < n && strcmp(names[k].name, name_of(i)))
			k++;
		others |= k == NAMES;
		if (k == n && n < NAMES)
			names[n++] = (struct name){ .name = name_of(i) };
		if (k < n)
			names[k].n++;
	}
	for (size_t k = 0; k < n; k++) {
		fputs(k ? ", " : "", out);
		if (names[k].n > 1)
			fprintf(out, "%u ", names[k].n);
		fprintf(out, "%.40s", names[k].name);
	}
	fputs(others ? " and others" : "", out);
}

char *tell_left_out(const struct image *list)
{
	uint64_t allocs = 0, bytes = 0;
	unsigned n = 0;
	char *text = NULL;
	size_t len;
	FILE *out = list ? memstream_open(&text, &len) : NULL;

	for (const struct image *i = list; i; i = i->next) {
		allocs += i->profile->totals.allocs;
		bytes += i->profile->totals.alloc_bytes;
		n++;
	}
	if (!out)
		return NULL;
	fprintf(out, "%u program%s that executed another one in %s place %s left out (", n,
		text_plural(n), n == 1 ? "its" : "their", n == 1 ? "is" : "are");
	print_names(list, out);
	fprintf(out, "): %" PRIu64 " allocation%s of %" PRIu64 " bytes; --keep-execs keeps %s",
		allocs, text_plural(allocs), bytes, n == 1 ? "it" : "them");
	fclose(out);
	return text;
}
