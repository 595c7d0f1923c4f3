/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/untold.h"

#include "base/text.h"
#include "outputs/outputs.h"
#include "outputs/unseen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool untold_is(const struct outputs *o, const struct image *i)
{
	const struct output_settings *wanted = &o->settings;
	const struct image *k = o->session->images;

	if (wanted->names == TELL_NAMES_ALL || (!wanted->report && wanted->report_to == stderr))
		return false;
	for (unsigned n = 0; k && n < UNTOLD_FIRST; n++, k = k->next)
		if (k == i)
			return false;
	return true;
}

static size_t noted;

static void note(const char *sentence)
{
	(void)sentence;
	noted++;
}

static bool is_noted(const struct image *i, const struct profile_data *d)
{
	noted = 0;
	unseen_say(note, d, NULL);
	return noted || i->counts.engine_failed;
}

bool untold_add(struct outputs *o, const struct image *i, const struct profile_data *d)
{
	struct untold *u = &o->untold;
	const struct pd_totals *t = &d->totals;

	if (is_noted(i, d) && u->noted++ < UNTOLD_FIRST)
		return false;
	u->n++;
	u->lost += d->unseen.lost;
	u->totals.allocs += t->allocs;
	u->totals.alloc_bytes += t->alloc_bytes;
	u->totals.frees += t->frees;
	u->totals.free_bytes += t->free_bytes;
	u->totals.truncated_chains += t->truncated_chains;
	u->totals.unknown_frees += t->unknown_frees;
	u->totals.failed_allocs += t->failed_allocs;
	return true;
}

static void remember(size_t *n, char **last, const char *path)
{
	char *copy = strdup(path);

	++*n;
	if (copy) {
		free(*last);
		*last = copy;
	}
}

void untold_saved(struct outputs *o, const char *path, bool older)
{
	remember(&o->untold.saved, &o->untold.data, path);
	o->untold.older += older;
}

void untold_paged(struct outputs *o, const char *path, bool older)
{
	remember(&o->untold.paged, &o->untold.page, path);
	o->untold.older += older;
}

static void say_counts(say_fn *say, const struct untold *u)
{
	const struct pd_totals *t = &u->totals;

	say_to(say,
	       "and %zu more profile%s: %" PRIu64 " allocation%s of %" PRIu64 " bytes, %" PRIu64
	       " free%s, %" PRIu64 " kept; --verbose tells of each",
	       u->n, text_plural(u->n), t->allocs, text_plural(t->allocs), t->alloc_bytes,
	       t->frees, text_plural(t->frees), t->alloc_bytes - t->free_bytes);
	say_to(say,
	       "in all of these %" PRIu64 " truncated chains, %" PRIu64
	       " frees of unknown blocks, %" PRIu64 " failed requests, %" PRIu64 " events lost",
	       t->truncated_chains, t->unknown_frees, t->failed_allocs, u->lost);
	if (u->noted > UNTOLD_FIRST)
		say_to(say,
		       "of %zu of these not all was seen, for reasons that mprof report of their "
		       "data files tells", u->noted - UNTOLD_FIRST);
}

/* The name of one file shows how the others are named. */
static void say_files(say_fn *say, const char *what, size_t n, const char *last)
{
	if (n == 1)
		say_to(say, "1 more %s is %s", what, last ? last : "written");
	else if (n)
		say_to(say, "%zu more %ss are written, the last of which is %s", n, what,
		       last ? last : "the newest");
}

void untold_say(struct outputs *o)
{
	struct untold *u = &o->untold;
	say_fn *say = o->host->say;

	if (u->n)
		say_counts(say, u);
	say_files(say, "data file", u->saved, u->data);
	say_files(say, "page", u->paged, u->page);
	if (u->older)
		say_to(say, "%zu of these file%s written" OUTPUT_REPLACED, u->older,
		       u->older == 1 ? " was" : "s were");
	untold_release(u);
}

void untold_release(struct untold *u)
{
	free(u->data);
	free(u->page);
	*u = (struct untold){ 0 };
}
