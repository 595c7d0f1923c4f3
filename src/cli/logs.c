/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands that read event logs: stats and log. */
#include "cli/apart.h"
#include "cli/cli.h"
#include "cli/logs.h"
#include "cli/options.h"
#include "cli/stream.h"

#include "mma/log_text.h"
#include "mma/merge.h"
#include "mma/profile_stats.h"
#include "mma/stats_text.h"
#include "profile/datafile.h"
#include "profile/pd_merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The logs given to a command: those of a group of processes. */
struct logs {
	char *const *names;
	size_t n;
	struct mma_log *v;
	bool truncated;	/* one of them was cut off */
	bool for_stats;	/* only statistics are needed */
	struct mma_stats
		*only; /* of the only file, whose entries are not needed: a recorded profile, or a
		          log that was counted while it was read */
};

static void logs_release(struct logs *l)
{
	for (size_t i = 0; l->v && i < l->n; i++)
		mma_log_release(&l->v[i]);
	free(l->v);
	free(l->only);
}

/* A recorded profile has statistics, but no events. */
static int read_profile(struct logs *l, const char *name, struct error *e)
{
	struct profile_data *d;

	if (!l->for_stats)
		return error_set(e, -EINVAL, "%s is a recorded profile, which has no single "
					     "events: a log is "
				 "written by mprof run --mma-log-file", name);
	if (l->n > 1)
		return error_set(e, -EINVAL, "%s is a recorded profile: its statistics cannot be "
					     "merged with "
				 "others, only logs can", name);
	int err = datafile_read(name, &d, e);
	if (err)
		return err;
	bool has_stats = d->load.begin_ns, is_sum = pd_merge_count(d);
	l->only = has_stats ? malloc(sizeof *l->only) : NULL;
	if (l->only)
		*l->only = mma_stats_of_profile(&d->load, &d->totals);
	profile_data_free(d);
	if (!has_stats && is_sum)
		return error_set(e, -EINVAL, "%s is a sum of profiles, which has no load over "
					     "time", name);
	if (!has_stats)
		return error_set(e, -EINVAL, "%s was written by an older mprof, which kept no "
					     "statistics", name);
	return l->only ? 0 : error_set(e, -ENOMEM, "out of memory");
}

/* A single log is usually sorted, and need not be kept in memory then. -EAGAIN: it must be. */
static int count_log(struct logs *l, struct mma_source *s, struct error *e)
{
	l->only = calloc(1, sizeof *l->only);
	int err = l->only ? mma_stats_of_source(l->only, s, &l->v[0], e) : -EAGAIN;
	if (err) {
		free(l->only);
		l->only = NULL;
	}
	return err;
}

static int read_entries(struct mma_log *log, const char *name, struct error *e)
{
	struct mma_source *s = mma_source_open(name, e);
	int err = s ? mma_log_read(log, s, e) : -EIO;

	mma_source_close(s);
	return err;
}

static int read_log(struct logs *l, size_t i, struct error *e)
{
	struct mma_source *s = mma_source_open(l->names[i], e);
	int err = -EIO;

	if (!s)
		return err;
	if (mma_source_is_data(s))
		err = read_profile(l, l->names[i], e);
	else if (!l->for_stats || l->n > 1 || !mma_source_is_file(s))
		err = mma_log_read(&l->v[i], s, e);
	else if ((err = count_log(l, s, e)) == -EAGAIN)
		err = read_entries(&l->v[i], l->names[i], e);
	mma_source_close(s);
	return err;
}

/* Read all of them before anything is printed. 0, or -errno: a sentence has been said. */
static int logs_read(struct logs *l)
{
	struct error e;

	l->v = calloc(l->n, sizeof *l->v);
	if (!l->v) {
		say("out of memory");
		return -ENOMEM;
	}
	for (size_t i = 0; i < l->n; i++) {
		int err = read_log(l, i, &e);

		if (err) {
			say("%s", e.text);
			return err;
		}
		l->truncated |= l->v[i].truncated;
	}
	return 0;
}

void logs_say_truncated(const char *name, const struct mma_log *log)
{
	say("%s is cut off: its compressed data ends behind line %" PRIu64
	    ", in the middle of a frame; what is behind that line is missing", name, log->lines);
}

/* ---- the two commands ---- */

static int print_stats(const struct logs *l, const struct options *o, FILE *out)
{
	struct mma_stats s = { 0 };
	int err = 0;

	if (l->only)
		s = *l->only;
	else
		err = mma_stats_of_logs(&s, l->v, l->n);
	if (err) {
		say("stats: %s", err == -EOVERFLOW ? "the load over time is more than 128 bits hold"
						   : "out of memory");
		return err;
	}
	if (o->mma.json)
		mma_stats_json(&s, out);
	else
		mma_stats_print(&s, !o->mma.plain, out);
	return 0;
}

static int print_log(const struct logs *l, const struct options *o, FILE *out)
{
	enum mma_form form = o->mma.json ? MMA_JSON : o->mma.plain ? MMA_PLAIN : MMA_HUMANIZED;
	int err = mma_log_print(l->v, l->n, form, o->output, out);

	if (err)
		stream_failed(o, err);
	return err;
}

typedef int print_fn(const struct logs *l, const struct options *o, FILE *out);

static int print_to(const struct logs *l, const struct options *o, print_fn *print)
{
	FILE *out = stream_open(o);
	if (!out)
		return -EIO;
	int err = print(l, o, out), lost = stream_close(out);
	if (!err && lost)
		stream_failed(o, lost);
	return err ? err : lost;
}

static int read_and_print(const char *command, int argc, char **argv, print_fn *print)
{
	struct options o;
	int first = options_parse(&o, command, argc, argv, 2);

	if (first < 0)
		return STATUS_USAGE;
	if (first >= argc) {
		say("%s: which logs? Usage: mprof %s [options] FILE...", command, command);
		return STATUS_USAGE;
	}
	const struct option_def *form = o.mma.json ? options_find_given(&o, NOT_JSON) : NULL;
	if (form) {
		say("option %s means nothing with --format=json", form->name);
		return STATUS_USAGE;
	}
	struct logs l = {
		.names = argv + first, .n = (size_t)(argc - first),
		.for_stats = print == print_stats,
	};
	if (!output_spares(&o, argv + first, l.n))
		return STATUS_USAGE;
	int err = logs_read(&l);
	if (!err)
		err = print_to(&l, &o, print);
	for (size_t i = 0; !err && i < l.n; i++)
		if (l.v[i].truncated)
			logs_say_truncated(l.names[i], &l.v[i]);
	bool failed = err || l.truncated;
	logs_release(&l);
	return failed ? STATUS_FAILED : 0;
}

int command_stats(int argc, char **argv)
{
	return read_and_print("stats", argc, argv, print_stats);
}

int command_log(int argc, char **argv)
{
	return read_and_print("log", argc, argv, print_log);
}
