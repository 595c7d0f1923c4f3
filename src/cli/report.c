/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cli.h"
#include "cli/names.h"
#include "cli/rename.h"
#include "profile/datafile.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* What the tables have no column for; to standard error, so that the tables stay what they are. */
static void say_notes(const struct profile_data *d)
{
	const struct pd_totals *t = &d->totals;

	if (t->truncated_chains || t->unknown_frees || t->failed_allocs)
		say("%" PRIu64 " truncated chains, %" PRIu64 " frees of unknown blocks, %" PRIu64
		    " failed requests",
		    t->truncated_chains, t->unknown_frees, t->failed_allocs);
	names_say_truncated(t);
	names_say_sizes(d);
}

static int report_to(struct profile_data *d, const struct options *o)
{
	FILE *out = o->output ? fopen(o->output, "we") : stdout;

	if (!out) {
		say("cannot write %s: %s", o->output, strerror(errno));
		return STATUS_FAILED;
	}
	int err = print_profile(d, o, out);
	if (out == stdout ? fflush(out) : fclose(out))
		err = err ? err : -errno;
	if (err)
		say("cannot write %s: %s", o->output ? o->output : "the report", strerror(-err));
	else
		say_notes(d);
	return err ? STATUS_FAILED : 0;
}

static int report_file(const char *path, const struct options *o)
{
	struct profile_data *d;
	struct error e;

	if (datafile_read(path, &d, &e)) {
		say("%s", e.text);
		return STATUS_FAILED;
	}
	const struct profile_data *old = d;
	int status = rename_profile(&d, o) ? STATUS_FAILED : 0;

	if (!status && d != old)
		names_say(d);
	if (!status)
		status = report_to(d, o);
	profile_data_free(d);
	return status;
}

int command_report(int argc, char **argv)
{
	struct options o;
	int first = options_parse(&o, "report", argc, argv, 2);

	if (first < 0)
		return STATUS_USAGE;
	if (argc - first > 1) {
		say("report: one data file at a time; \"%s\" is one too many", argv[first + 1]);
		return STATUS_USAGE;
	}
	return report_file(first < argc ? argv[first] : "mprof.data", &o);
}

int command_classic(int argc, char **argv)
{
	struct options o;
	int first = options_parse(&o, "report", argc, argv, 1);

	if (first < 0)
		return STATUS_USAGE;
	if (argc - first > 2) {
		say("\"%s\" is one argument too many; usage: mprof [options] [a.out [mprof.data]]",
		    argv[first + 2]);
		return STATUS_USAGE;
	}
	/* The names are in the data file, so the program is not read. But a word that is no file is most
	 * likely a command misspelt. */
	if (first < argc && access(argv[first], F_OK)) {
		say("\"%s\" is neither a command of mprof nor a program; see mprof --help", argv[first]);
		return STATUS_USAGE;
	}
	return report_file(first + 1 < argc ? argv[first + 1] : "mprof.data", &o);
}
