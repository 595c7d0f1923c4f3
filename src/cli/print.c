/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cli.h"

#include "base/stream.h"
#include "cli/first_screen.h"
#include "cli/fn_names.h"
#include "cli/heapfiles.h"
#include "cli/massif_report.h"
#include "cli/screen.h"
#include "report/bins.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* A table with more rows is long. */
enum { LONG_TABLE = 200 };

/* Suggest options if there are very many requested sizes, with a row for each. */
static int say_is_long(const struct profile_data *d, const struct options *o)
{
	size_t now = 0, terse = 0;
	bool asked = o->report.level != REPORT_NORMAL || d->labelled;
	int err = asked ? 0 : bins_count_rows(d, REPORT_NORMAL, &now);

	if (!err && now > LONG_TABLE)
		err = bins_count_rows(d, REPORT_TERSE, &terse);
	if (!err && now > LONG_TABLE)
		say("the first table has %zu rows of sizes: --terse prints %zu of them, --summary "
		    "only what matters first",
		    now, terse);
	return err;
}

/* True if both lead to the same file or pipe. */
static bool lead_to_one(FILE *a, FILE *b)
{
	struct stat x, y;

	return !fstat(fileno(a), &x) && !fstat(fileno(b), &y) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* With --quiet and -o, the summary is in the file, too. */
static int print_before(const struct profile_data *d, const struct options *o, FILE *out,
			bool together)
{
	if (o->quiet && o->output && !together) {
		int err = first_screen_print(d, o, out);

		return err || fputc('\n', out) != EOF ? err : -errno;
	}
	if (!together || o->quiet)
		return 0;
	int err = stream_flush(out);

	return err ? err : first_screen_say(d, o);
}

/* If tables and messages are read in the same place, the summary comes before the tables. Otherwise
 * it is said after they are written: if that fails, only the error is said. */
static int print_tables(const struct profile_data *d, const struct options *o, bool hushed,
			FILE *out)
{
	bool together = out == stderr || screen_shows(out) || lead_to_one(out, stderr);
	struct report_options tables = o->report;
	int err = print_before(d, o, out, together);

	screen_fit(&tables, o, out);
	if (!err)
		err = report_tables(d, &tables, out);
	hushed |= o->quiet;
	if (!err && !together && !hushed)
		err = first_screen_say(d, o);
	return err || hushed ? err : say_is_long(d, o);
}

int print_profile(struct profile_data *d, const struct options *o, bool hushed, FILE *out)
{
	fn_names_meet(o, d);
	int err = view_apply(&o->view, d);

	if (err)
		return err;
	if (o->format == FORMAT_MASSIF || o->format == FORMAT_MS_PRINT) {
		err = massif_report_data(d, o, out);
		return err == -EINVAL ? PRINT_SAID : err;
	}
	if (is_pprof_format(o->format) || o->pprof.list) {
		struct error e;

		err = heapfiles_print_data(d, o, out, &e);
		if (err != -EINVAL)
			return err;
		say("%s", e.text);
		return PRINT_SAID;
	}
	if (o->format == FORMAT_JSON)
		return report_json(d, &o->report, out);
	if (o->growth)
		return first_screen_print_growth(d, o, out);
	if (o->report.summary)
		return first_screen_print(d, o, out);
	return print_tables(d, o, hushed, out);
}
