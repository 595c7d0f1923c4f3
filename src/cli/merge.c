/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof merge: adds up profiles. */
#include "base/text.h"
#include "cli/apart.h"
#include "cli/options.h"
#include "outputs/check.h"
#include "profile/datafile.h"
#include "profile/pd_merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct merging {
	struct pd_merge *sum;
	const char *first;	     /* the first file */
	uint64_t min_size, max_size; /* size filter of the profiles */
	uint64_t peaks;		     /* sum of all peaks, saturated */
	bool sums;		     /* one is a sum itself, and no longer has all peaks */
};

/* Profiles with different size filters cannot be added. False: that has been said. */
static bool is_alike(const struct merging *m, const char *path, const struct profile_data *d)
{
	if (d->min_size == m->min_size && d->max_size == m->max_size)
		return true;
	say("%s and %s cannot be added up: requests of other sizes were recorded in each", m->first,
	    path);
	return false;
}

/* Add a file. 0 or a status. */
static int add(struct merging *m, const char *path)
{
	struct profile_data *d;
	struct error e;

	if (datafile_read(path, &d, &e)) {
		say("%s", e.text);
		return STATUS_FAILED;
	}
	if (!m->first) {
		m->first = path;
		m->min_size = d->min_size;
		m->max_size = d->max_size;
	}
	int err = is_alike(m, path, d) ? pd_merge_add(m->sum, d) : -EINVAL;
	if (__builtin_add_overflow(m->peaks, d->totals.peak_bytes, &m->peaks))
		m->peaks = UINT64_MAX;
	m->sums |= pd_merge_count(d) > 0;
	profile_data_free(d);
	if (err && err != -EINVAL)
		say("cannot add %s: %s", path,
		    err == -EOVERFLOW ? "a sum is too large" : "out of memory");
	return err ? STATUS_FAILED : 0;
}

/* Say what the sum is, and which figures have another meaning in it. */
static void tell(const struct merging *m, const struct profile_data *d, const char *path)
{
	const struct pd_totals *t = &d->totals;
	size_t n = pd_merge_count(d);

	say("%s is the sum of %zu profile%s: %" PRIu64 " allocation%s of %" PRIu64
	    " bytes, %" PRIu64 " free%s, %" PRIu64 " bytes kept",
	    path, n, text_plural(n), t->allocs, text_plural(t->allocs), t->alloc_bytes, t->frees,
	    text_plural(t->frees), t->alloc_bytes - t->free_bytes);
	if (n > 1 && m->sums)
		say("its peak, %" PRIu64 " bytes, is the highest of any one", t->peak_bytes);
	else if (n > 1)
		say("its peak, %" PRIu64
		    " bytes, is the highest of any one; if they ran at once, they had "
		    "between that and %" PRIu64 " at a time",
		    t->peak_bytes, m->peaks);
	say("left out: timelines, the load over time, verdicts, resident memory%s%s",
	    d->before.how ? "" : ", what was there before",
	    d->reach.known ? "" : ", what is lost");
}

static int write_sum(struct merging *m, const char *path)
{
	struct profile_data *d = pd_merge_finish(m->sum);
	struct error e;

	m->sum = NULL;
	if (!d) {
		say("cannot add anything up: out of memory, or a sum is too large");
		return STATUS_FAILED;
	}
	int err = datafile_write(path, d, &e);
	if (err)
		say("%s", e.text);
	else
		tell(m, d, path);
	profile_data_free(d);
	return err ? STATUS_FAILED : 0;
}

int command_merge(int argc, char **argv)
{
	struct options o;
	struct merging m = {0};
	int first = options_parse(&o, "merge", argc, argv, 2);

	if (first < 0)
		return STATUS_USAGE;
	char **files = argv + first;
	size_t n = (size_t)(argc - first);
	if (!n || !o.output) {
		say("merge: %s Usage: mprof merge -o SUM FILE...",
		    n ? "where does the sum go?" : "of which profiles?");
		return STATUS_USAGE;
	}
	if (!output_spares(&o, files, n))
		return STATUS_USAGE;
	int status = output_check_replaced(o.output, "the sum", say_sentence) ? STATUS_FAILED : 0;
	m.sum = status ? NULL : pd_merge_new();
	if (!status && !m.sum) {
		say("cannot add anything up: out of memory, or a sum is too large");
		status = STATUS_FAILED;
	}
	for (size_t i = 0; !status && i < n; i++)
		status = add(&m, files[i]);
	if (!status)
		status = write_sum(&m, o.output);
	pd_merge_free(m.sum);
	return status;
}
