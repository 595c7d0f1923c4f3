/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/names.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void progress(const char *text)
{
	say("%s", text);
}

struct symbols_search names_search(const struct options *o)
{
	return (struct symbols_search){ .debug_dirs = o->debug_dirs, .fetch = true, .cache = true,
					.progress = progress };
}

/* ---- what is said of names ---- */

static void say_list(const char *source, const char *list)
{
	if (!strncmp(source, "none", 4))
		say("no names%s: %s", source + 4, list);
	else
		say("names from %s: %s", source, list);
}

/* All modules whose names came from the same place as those of @first, some in a line. */
static void say_source(const struct profile_data *d, const bool *occurs, size_t first)
{
	char list[600] = "";
	size_t len = 0;

	for (size_t i = first; i < d->n_modules; i++) {
		const char *path = d->modules[i].path;

		if (!occurs[i] || strcmp(d->modules[i].names, d->modules[first].names))
			continue;
		if (len && len + strlen(path) + 2 >= sizeof list) {
			say_list(d->modules[first].names, list);
			len = 0;
		}
		int n = snprintf(list + len, sizeof list - len, "%s%s", len ? ", " : "", path);
		len += n > 0 ? (size_t)n : 0;
		if (len >= sizeof list)
			len = sizeof list - 1;
	}
	say_list(d->modules[first].names, list);
}

void names_say(const struct profile_data *d)
{
	bool *occurs = profile_data_modules_used(d);

	for (size_t i = 0; occurs && i < d->n_modules; i++) {
		size_t same = 0;

		while (same < i &&
		       !(occurs[same] && !strcmp(d->modules[same].names, d->modules[i].names)))
			same++;
		if (occurs[i] && same == i)
			say_source(d, occurs, i);
	}
	free(occurs);
}

void names_say_peak(const struct profile_data *d)
{
	const struct pd_point *p = profile_data_peak(d);

	if (p)
		say("the peak: %" PRIu64 " bytes in %" PRIu64 " blocks, %.3f s after the start",
		    p->live_bytes, p->live_blocks, (double)p->time_ns / 1e9);
}

void names_say_chains(const struct profile_data *d)
{
	const struct pd_totals *t = &d->totals;
	uint64_t guessed;

	if (t->truncated_chains)
		say("chains are truncated for want of call frame information (%" PRIu64
		    "), because the stack could not be read (%" PRIu64
		    "), at the depth limit (%" PRIu64 ")",
		    t->truncated_no_cfi, t->truncated_unreadable, t->truncated_too_deep);
	if (profile_data_guessed_chains(d, &guessed) == 0 && guessed)
		say("%" PRIu64
		    " chains were followed by frame pointers where there is no call frame "
		    "information: a function that keeps none is left out",
		    guessed);
}

void names_say_sizes(const struct profile_data *d)
{
	if (d->max_size)
		say("only requests of %" PRIu64 " to %" PRIu64 " bytes were recorded", d->min_size,
		    d->max_size);
	else if (d->min_size)
		say("only requests of %" PRIu64 " bytes or more were recorded", d->min_size);
}
