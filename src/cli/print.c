/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cli.h"

#include "cli/first_screen.h"
#include "cli/fn_names.h"
#include "cli/heapfiles.h"
#include "cli/massif_report.h"
#include "cli/screen.h"
#include "report/bins.h"

#include <errno.h>
#include <unistd.h>

/* More rows than anybody reads. */
enum { LONG_TABLE = 200 };

/* A program whose requests are of very many sizes has a row for each. */
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

/* What matters first comes before the tables for who reads both in one place. For others it comes
 * when the tables are written: if they cannot be, that is all there is to say. */
static int print_tables(const struct profile_data *d, const struct options *o, FILE *out)
{
	bool together = out == stderr || screen_shows(out);
	struct report_options tables = o->report;
	/* Who wants to hear nothing, and to have a file, has it there. */
	bool in_file = o->quiet && o->output && !together;
	int err = in_file ? first_screen_print(d, o, out) : 0;

	if (in_file && !err)
		fputc('\n', out);
	if (!err && together && !o->quiet)
		err = first_screen_say(d, o);

	screen_fit(&tables, o, out);
	if (!err)
		err = report_tables(d, &tables, out);
	if (!err && !together && !o->quiet)
		err = first_screen_say(d, o);
	return err || o->quiet ? err : say_is_long(d, o);
}

int print_profile(struct profile_data *d, const struct options *o, FILE *out)
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
	return print_tables(d, o, out);
}
